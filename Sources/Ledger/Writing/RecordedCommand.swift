import JSON
package import ReleaseModel
import SQLite

/// A command as the record has it: the events that were recorded together, of which the last one names it.
package struct RecordedCommand: Sendable, Equatable {
  package let first: Int64
  package let last: EventRecord

  /// The command in words.
  package var words: String { last.command ?? "" }

  /// The last event of the command that this one took back; nil if it is neither `undo` nor `redo`.
  package var undone: Int64? {
    let words = words.split(separator: " ")
    guard let verb = words.first, verb == "undo" || verb == "redo" else { return nil }
    return words.dropFirst().first.flatMap { Int64($0) }
  }

  package var isRedo: Bool { undone != nil && words.hasPrefix("redo") }

  package var isUndo: Bool { undone != nil && !isRedo }
}

/// What `undo` or `redo` finds to take back.
package struct Undoable: Sendable, Equatable {
  /// The last command by which a person changed something, or nil.
  package let newest: RecordedCommand?
  /// The last one that is to be taken back: for `undo` what is not undone yet, for `redo` the last undo that nothing
  /// but undos followed.
  package let next: RecordedCommand?
}

extension EventRecord {
  /// What else it changes than its subject.
  private var others: [JSON] { also.flatMap { try? JSON(parsing: $0.utf8) }?.array ?? [] }

  /// The rows of those.
  var otherRows: [String] { others.compactMap { $0["row"]?.string } }

  /// The members of a row that the event changes, as `Change.alteredMembers` calls them.
  func altered(_ row: String) throws -> Set<String> {
    var members: Set<String> = []
    if subject == row {
      let change = try change()
      if case .marked(let before, let after) = change, before.state == after.state, evidence != nil {
        return []
      }
      members = change.alteredMembers
    }
    for other in others where other["row"]?.string == row {
      members.formUnion((other["after"]?.object?.members ?? []).map { Change.member($0.key) })
    }
    return members
  }
}
