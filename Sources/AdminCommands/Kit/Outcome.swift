import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// What a change did, or found already done: the one value from which its answer is made, for programs and for people.
///
/// Both are kept with a request id, so that a repeated request prints what was kept.
struct Outcome {
  typealias Members = [(String, JSON)]

  /// What the answer says besides `changed`, `event`, `impact`, `head` and `warnings`, in the contract's names.
  let members: Members
  /// Printed after what was done, and before what clients are told.
  var warnings: [String]
  /// The apps whose past is whole: of versions that are not recorded nothing is said.
  private(set) var wholePasts: Set<String> = []
  /// What was done, in complete lines.
  let done: String
  /// What already holds: printed instead if nothing changes.
  private let same: String?
  /// Printed after what was done if no prompt changes.
  private let unprompted: String?
  /// The next command worth running.
  var next: String?
  /// The command that it takes back, which a question names.
  var takesBack: String?
  /// The argument that was left out, which a plan names.
  var omitted: String?

  init(
    _ members: Members = [], _ done: String = "", same: String? = nil, unprompted: String? = nil,
    next: String? = nil,
    warnings: [String] = []
  ) {
    (self.members, self.done, self.same, self.unprompted, self.next) = (members, done, same, unprompted, next)
    self.warnings = warnings
  }

  /// The member of an answer in which its words are kept; no answer that is printed has it.
  private static let keptWords = "words"

  /// All that is kept of it, with what its effects are to be warned of.
  mutating func kept(_ effects: Effects, isUrgent: Bool) throws -> Members {
    if !isUrgent {
      warnings += try effects.idle().map {
        "it can do nothing yet: \($0.snapshot.reason(of: $0.decision, for: nil).words)"
      }
      warnings += try effects.leaving()
      warnings += effects.crowded.map { app, tiles in
        "\(app) has \(grouped(tiles)) different answers by version and time, of at most "
          + "\(grouped(Schedule.mostTiles)): see 'pawl rules \(app)' for rules that may go"
      }
    }
    warnings += effects.stopped.map {
      "\($0) is stopped: clients see no prompt until 'pawl resume \($0)'"
    }
    wholePasts = effects.draft.wholePasts
    let isSame = !effects.draft.isChanged && same != nil
    let words: JSON = [
      "done": .string(isSame ? "\(same ?? ""); nothing to record.\n" : done),
      "next": .optional(isSame ? nil : next), "unprompted": .optional(isSame ? nil : unprompted),
      "whole": wholePasts.sorted().json,
    ]
    return members + [("warnings", warnings.json), (Outcome.keptWords, words)]
  }

  /// Divides what is kept into what programs read and the words for people.
  static func divided(_ kept: JSON) -> (json: JSON, words: JSON?) {
    guard var members = kept.object else { return (kept, nil) }
    let words = members[keptWords]
    members[keptWords] = nil
    return (.object(members), words)
  }
}

/// A value that has one form in JSON.
protocol JSONValue {
  var json: JSON { get }
}

extension Optional: JSONValue where Wrapped: JSONValue {
  var json: JSON { self?.json ?? .null }
}

extension Array: JSONValue where Element: JSONValue {
  var json: JSON { .array(map(\.json)) }
}

extension String: JSONValue {
  var json: JSON { .string(self) }
}

extension Int64: JSONValue {
  var json: JSON { .integer(self) }
}

extension Bool: JSONValue {
  var json: JSON { .bool(self) }
}

extension App: JSONValue {}
extension Trust: JSONValue {}

/// A record that belongs to an app, but names the app only in its JSON.
protocol AppRecord {
  func json(app: String) -> JSON
}

extension Release: AppRecord {}
extension Rule: AppRecord {}
extension Redirect: AppRecord {}
extension Setting: AppRecord {}

struct Owned<Record: AppRecord>: JSONValue {
  let app: String
  let record: Record

  var json: JSON { record.json(app: app) }
}

extension AppRecord {
  func of(_ app: String) -> Owned<Self> { Owned(app: app, record: self) }
}

extension Release {
  /// The release as answers show it.
  func of(_ app: App) -> Owned<Release> { shown(in: app).of(app.slug) }
}
