/// What a client is told, without display details; two answers equal in this are equal in everything.
package struct Told: Sendable, Hashable {
  package let action: Action
  package let review: Bool
  package let decidedBy: Decision.Reason
  package let rule: Int64?
  /// The row of the release that clients are pointed at.
  package let target: Int64?
  package let url: String?
  @Verbatim package private(set) var settings: [String: String]

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

  /// Hashes the fields that tell nearly all answers apart; hashing texts takes longer than comparing them
  /// once.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(action)
    hasher.combine(rule)
    hasher.combine(target)
  }

  /// Keeps the relevant parts of a decision.
  package init(_ decision: Decision, settings: [String: String]) {
    self.init(
      action: decision.action, review: decision.review, decidedBy: decision.decidedBy, rule: decision.rule,
      target: decision.target?.id, url: decision.url, settings: settings)
  }

  /// Asks the decision function about a client.
  package init(_ decider: Decider, _ client: Client) {
    let decision = decider.decide(client)
    self.init(decision, settings: decider.settings(of: client.version, inReview: decision.review))
  }
}

/// One answer for neighbouring releases of an app, over a stretch of time.
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
  /// What every known version is told from a moment on, in as few runs as possible.
  ///
  /// A void release whose number was used again is left out: its version gets the answer of the later
  /// release.
  package func answerRuns(from moment: Timestamp) -> [AnswerRun] {
    let moments = [moment] + momentsOfChange(after: moment).sorted()
    var forecast = Forecast(self, at: moments, withSettings: true) { decision, settings in
      Told(decision, settings: settings.values(inReview: decision.review))
    }
    /// Each distinct course of answers once, and the index of the course that each release gets.
    var courses: [[(slot: Int, until: Int, told: Told)]] = []
    var courseOf = [Int?](repeating: nil, count: line.releases.count)
    for position in line.knownPositions {
      if forecast.move(to: line.releases[position].version) {
        courses.append(forecast.folded(to: moments.count))
      }
      courseOf[position] = courses.count - 1
    }
    var runs: [AnswerRun] = []
    /// The course of the previous release, which the next one may continue; the release at which each of its
    /// answers began; and the previous release itself.
    var (open, firsts, last): (Int?, [Int64], Int64) = (nil, [], 0)
    func close(_ position: Int) {
      guard let open else { return }
      let (slot, until, told) = courses[open][position]
      runs.append(
        AnswerRun(
          first: firsts[position], last: last, from: moments[slot],
          until: until < moments.count ? moments[until] : nil, told: told))
    }
    for (release, course) in zip(line.releases, courseOf) {
      if let course, course != open {
        var (started, position): ([Int64], Int) = ([], 0)
        for (slot, until, told) in courses[course] {
          // Both courses advance through time together, so that matching answers meet and can form one run.
          while position < firsts.count, let open, courses[open][position].slot < slot {
            close(position)
            position += 1
          }
          if position < firsts.count, let open, courses[open][position] == (slot, until, told) {
            started.append(firsts[position])
            position += 1
          } else {
            started.append(release.id)
          }
        }
        while position < firsts.count {
          close(position)
          position += 1
        }
        (open, firsts) = (course, started)
      } else if course == nil {
        firsts.indices.forEach(close)
        (open, firsts) = (nil, [])
      }
      last = release.id
    }
    firsts.indices.forEach(close)
    return runs
  }
}
