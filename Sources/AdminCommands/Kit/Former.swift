import CommandLineKit
import JSON
import Ledger
import ReleaseModel

// Names that commands not yet moved to typed values and answers still use; to be taken away with the last of them.

/// The former name of `CommandFailure`.
package typealias Report = CommandFailure

extension CommonOptions {
  static var parameters: [Setter<CommonOptions>] { [.whole(.common)] }
}

extension ChangeOptions {
  static var parameters: [Setter<ChangeOptions>] { [.whole(.change)] }
}

extension Changing {
  init(_ options: ChangeOptions, _ call: Call, _ context: PawlContext) {
    self.init(options, context)
  }

  /// Records with an answer that is only JSON.
  func run(
    _ body: (inout Draft) throws -> Void, answer: (inout Draft) throws -> [(String, JSON)],
    text: (JSON) -> String
  ) throws -> ExitCode {
    try run { draft in
      try body(&draft)
    } answer: { draft in
      FormerAnswer(members: try answer(&draft))
    } text: { answer, outcome in
      let json = JSON.object(
        JSON.Object(
          answer.members + [("changed", .bool(outcome.isChanged)), ("event", .optional(outcome.event))]))
      return Said(text(json))
    }
  }
}

private struct FormerAnswer: Answer {
  let members: [(String, JSON)]

  init(members: [(String, JSON)]) { self.members = members }
  init(answer json: JSON) { members = (json.object?.members ?? []).map { ($0.key, $0.value) } }
}

extension ReleaseText {
  /// What was, what is, and from when clients are told.
  static func changed(_ answer: JSON, from before: String?) -> String {
    guard let release = answer["release"].flatMap({ Owned<Release>(json: $0) }) else { return "" }
    return changed(release, isChanged: answer["changed"]?.bool == true)
  }
}
