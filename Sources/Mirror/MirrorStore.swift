import ReleaseModel

/// A kind of database that holds schedules: how pawl speaks to it, through a program that reads statements.
///
/// All that it writes is ASCII; text that is not plain travels as hexadecimal digits, so that no setting of a
/// server or client can read it as anything else.
package protocol MirrorStore: Sendable {
  /// What makes the tables; idempotent.
  var schema: String { get }

  /// Asks for the tables' version, the clock and the heads, of these apps where a store cannot list them.
  func heads(of apps: [String]) -> String

  /// Asks for all that the mirror's readers can see of some apps.
  func rows(of apps: [String]) -> String

  /// What a mirror that holds an app's schedule answers when it is asked for all of it.
  func lines(of app: MirroredApp) -> [String]

  /// Puts an app's schedule in the place of another one, or of none.
  ///
  /// Nothing happens unless the mirror's head is still the given one and every row arrives, and readers see one
  /// or the other.
  func send(_ app: MirroredApp, over head: MirrorHead?) -> String

  func remove(_ head: MirrorHead) -> String

  /// What is in the complaints of a store, or of its client, where pawl has a word for what is wrong.
  var signs: [MirrorTrouble: [String]] { get }
}

/// What may be wrong with a store where nothing else is said of it.
package enum MirrorTrouble: Sendable {
  /// The account's name or password is wrong.
  case account
  /// The store's file cannot be opened.
  case file
  /// The account may not do something that it was asked to.
  case rights
  case noTables
}

/// What an answer has of a target, and what a tier calls it.
let membersOfTiers = Tile.columns.filter(\.isOfTarget).map { ($0.column, $0.name) }

extension MirrorStore {
  /// The columns of what is told.
  static var told: [(name: String, kind: ColumnKind)] {
    var told = Tile.columns.dropFirst(4).map { (name: $0.column, kind: $0.kind) }
    told.insert(("notes", .text), at: told.firstIndex { $0.0 == "remind_every" } ?? told.endIndex)
    return told + [("generation", .integer), ("valid_until", .integer)]
  }
}

/// The kinds of mirrors.
package enum MirrorKind: String, Sendable, CaseIterable {
  case postgresql, mysql, sqlite, redis

  package var store: any MirrorStore {
    switch self {
    case .postgresql: PostgreSQL()
    case .mysql: MySQL()
    case .sqlite: SQLiteShell()
    case .redis: Redis()
    }
  }

  /// The version of the tables, which is raised when what they hold or how they are asked changes.
  package static let format = 3
}

/// A program for a server, with a value in the place of each name between two signs `@`.
func filled(_ program: [UInt8], _ values: [String: String]) -> String {
  let parts = String(decoding: program, as: UTF8.self).split(separator: "@", omittingEmptySubsequences: false)
  return parts.enumerated().map { index, part in
    index.isMultiple(of: 2) ? String(part) : values[String(part)] ?? "@\(part)@"
  }.joined()
}

/// Whether a text means the same to every program that reads statements: letters, digits and a few signs.
func isPlain(_ text: String) -> Bool {
  text.utf8.allSatisfy { byte in
    switch byte {
    case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, 0x20, 0x2D, 0x2E, 0x2F, 0x5F: true
    default: false
    }
  }
}
