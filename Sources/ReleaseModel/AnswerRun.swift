/// What a client is told, without the words around it: answers equal in this are equal in everything.
package struct Told: Sendable, Hashable {
  package let action: Action
  package let review: Bool
  package let decidedBy: Decision.Reason
  package let rule: Int64?
  /// The row of the release pointed at.
  package let target: Int64?
  package let url: String?
  package let settings: [String: String]

  package init(
    action: Action, review: Bool, decidedBy: Decision.Reason, rule: Int64?, target: Int64?, url: String?,
    settings: [String: String]
  ) {
    self.action = action
    self.review = review
    self.decidedBy = decidedBy
    self.rule = rule
    self.target = target
    self.url = url
    self.settings = settings
  }

  /// Hashes what tells nearly all answers apart; texts take longer to hash than to compare once.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(action)
    hasher.combine(rule)
    hasher.combine(target)
  }

  /// Shortens a decision.
  package init(_ decision: Decision, settings: [String: String]) {
    self.init(
      action: decision.action, review: decision.review, decidedBy: decision.decidedBy, rule: decision.rule,
      target: decision.target?.id, url: decision.url, settings: settings)
  }

  /// Asks for a client.
  package init(_ decider: Decider, _ client: Client) {
    let decision = decider.decide(client)
    self.init(decision, settings: decider.settings(of: client.version, inReview: decision.review))
  }
}

/// One answer to neighbouring releases of an app, over a stretch of time.
package struct AnswerRun: Sendable, Hashable {
  /// The rows of the first and the last release.
  package let first: Int64
  package let last: Int64
  package let from: Timestamp
  package let until: Timestamp?
  package let told: Told

  package init(first: Int64, last: Int64, from: Timestamp, until: Timestamp?, told: Told) {
    self.first = first
    self.last = last
    self.from = from
    self.until = until
    self.told = told
  }
}

extension Snapshot {
  /// What every known version is told from a moment on, as few runs as it takes.
  ///
  /// A void release whose number was used again is left out: its version is answered as the later release.
  package func answerRuns(from moment: Timestamp) -> [AnswerRun] {
    let timeline = Timeline(self, at: moment, lookingBack: 0)
    var runs: [AnswerRun] = []
    /// The runs that the release before belongs to, which the next one may join.
    var open: [AnswerRun] = []
    for release in line.releases {
      guard release.state != .void || line.release(release.version)?.id == release.id else {
        runs += open
        open = []
        continue
      }
      let client = Client(version: release.version)
      let stretches = timeline.stretchesToCome { Told($0, client) }
      var joined: [AnswerRun] = []
      for stretch in stretches {
        let from = stretch.from ?? moment
        let before = open.firstIndex {
          $0.from == from && $0.until == stretch.until && $0.told == stretch.answer
        }
        let first = before.map { open.remove(at: $0).first } ?? release.id
        joined.append(
          AnswerRun(first: first, last: release.id, from: from, until: stretch.until, told: stretch.answer))
      }
      runs += open
      open = joined
    }
    return runs + open
  }
}
