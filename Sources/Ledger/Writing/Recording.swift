import Crypto
package import JSON
package import ReleaseModel

/// Who changes the ledger, why, and under which conditions.
package struct Recording: Sendable {
  /// A command that may be tried again: its id, and a digest of what it says.
  package struct Request: Sendable, Equatable {
    package let id: String
    package let digest: String

    /// Names a request by its command's words, which are the same for every way of saying the same.
    package init(id: String, words: [String]) {
      self.id = id
      digest = SHA256.hexadecimal(of: JSON.array(words.map(JSON.string)).bytes())
    }
  }

  /// A digest that stands for a file's content among the words of a request.
  package static func digest(of content: [UInt8]) -> String { SHA256.hexadecimal(of: content) }

  package var actor: JSON
  package var reason: String?
  package var request: Request?
  /// The head the command was made for; nil if any will do.
  package var expectedHead: Int64?
  package var isDryRun: Bool
  /// Whether any question is already agreed to, so that the command need not run twice.
  package var isAgreed = false
  /// Whether whoever gives the command may agree to anything; an ssh key with a list of commands may not.
  package var mayAgree = true
  package var plan: SignedPlan?
  /// Whether a dry run also returns what a plan needs.
  package var isPlanned = false
  package var clock: Timestamp
  package var clockCheck = ClockCheck()
  /// The command's name, for those who wait until it is done.
  package var command: String
  /// The command in words, as its last event says them.
  package var words = ""

  package init(
    actor: JSON, reason: String? = nil, request: Request? = nil, expectedHead: Int64? = nil,
    isDryRun: Bool = false, clock: Timestamp, command: String = "pawl"
  ) {
    (self.actor, self.reason, self.request, self.expectedHead) = (actor, reason, request, expectedHead)
    (self.isDryRun, self.clock, self.command) = (isDryRun, clock, command)
  }
}

/// What a command did.
package struct Recorded: Sendable, Equatable {
  /// The answer as JSON: `changed`, `event`, `impact` and what the command adds.
  package let answer: JSON
  /// Whether the answer is that of an earlier try with the same request id.
  package let isRepeated: Bool
  /// The ledger's last event after the command; for a repeated answer, the event that keeps it.
  package let head: Head
  /// For a dry run that plans: what a plan says besides its command and author.
  package var planned: Plan?
  /// What someone must agree to first; nothing is recorded then.
  package internal(set) var question: Question?

  /// The answer with the head, so that any log that keeps it can bear witness to the record.
  package var json: JSON {
    guard var members = answer.object else { return answer }
    members["head"] = head.json
    return .object(members)
  }
}

/// A change that someone should agree to before it is recorded.
package struct Question: Sendable, Equatable {
  package let need: Need
  package var release: Version?
  /// When that release stops opening, for `expiring`.
  package var at: Timestamp?
  package let impact: Impact
  /// The versions that a new release would force, if anybody has them: none of them is recorded.
  package let unrecorded: ImpactLine?

  package init(
    need: Need, release: Version? = nil, at: Timestamp? = nil, impact: Impact, unrecorded: ImpactLine? = nil
  ) {
    (self.need, self.release, self.at, self.impact) = (need, release, at, impact)
    self.unrecorded = unrecorded
  }
}
