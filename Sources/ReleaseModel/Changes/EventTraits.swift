/// What there is to know of a kind of event.
package struct EventTraits: Sendable {
  /// The columns that not every event has.
  package struct Columns: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let app = Columns(rawValue: 1)
    package static let version = Columns(rawValue: 2)
    package static let subject = Columns(rawValue: 4)
    package static let before = Columns(rawValue: 8)
    package static let after = Columns(rawValue: 16)
    package static let evidence = Columns(rawValue: 32)
    package static let all = Columns(rawValue: 63)
    static let ofApp: Columns = [.app, .subject, .before, .after]
    static let ofNew: Columns = [.app, .version, .subject, .after]
    static let ofAltered: Columns = [.app, .version, .subject, .before, .after]
  }

  /// What is true of every event of the kind.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// The answers of the app that it is recorded under depend on it.
    package static let concernsAnswers = Flags(rawValue: 1)
    /// Someone should agree before it makes an answer stricter than `none` or leads to another page.
    package static let asksWhenStricter = Flags(rawValue: 2)
    /// It belongs to no app, even if it is recorded under one.
    package static let isBesideApps = Flags(rawValue: 4)
    /// It is recorded under no app, and every app depends on it.
    package static let concernsApps = Flags(rawValue: 8)
    /// It is recorded under no app, and every app depends on it where agreement is demanded.
    package static let concernsApprovals = Flags(rawValue: 16)
    static let ofRows: Flags = [.concernsAnswers, .asksWhenStricter]
  }

  /// What the event did, worded to stand before the thing it did it to.
  package let done: String
  /// The columns that an event of the kind may have, besides those that every event has.
  package let columns: Columns
  package let flags: Flags

  init(_ done: String, _ columns: Columns, _ flags: Flags = []) {
    (self.done, self.columns, self.flags) = (done, columns, flags)
  }
}

extension EventKind {
  package init(rule action: Action) {
    switch action {
    case .none: self = .ruleNone
    case .remind: self = .ruleRemind
    case .force: self = .ruleForce
    }
  }

  /// Whether it changes an app or what is recorded under one, and so is something to undo.
  package var isOfApp: Bool { traits.columns.contains(.app) && !traits.flags.contains(.isBesideApps) }
}

extension Change {
  package var flags: EventTraits.Flags { kind.traits.flags }

  package var concernsAnswers: Bool { flags.contains(.concernsAnswers) }

  /// The record that the change is about, after it, or as it was if it is removed.
  package var record: (any Record)? {
    let sides = sides
    return sides.after ?? sides.before
  }

  package var release: Release? { record as? Release }

  /// The release that it makes.
  package var newRelease: Release? {
    switch self {
    case .published(let release), .imported(let release): release
    default: nil
    }
  }

  package var version: Version? { release?.version ?? evidence?.version }

  package var evidence: Evidence? { record as? Evidence }

  /// The name of the row it is about, where that does not depend on the ledger's numbering.
  package var subject: String? {
    guard let record, let id = record.rowID else { return nil }
    return "\(type(of: record).table.rawValue)/\(id)"
  }

  /// Where the change leads clients, if it makes or restores a rule or sets a redirect.
  package var destination: Destination? {
    (sides.after as? Rule)?.destination ?? (sides.after as? Redirect)?.destination
  }

  /// The page that the change gives clients, unless they had it before.
  package var newURL: String? {
    func url(_ record: (any Record)?) -> String? { (record as? App)?.storeURL ?? (record as? Release)?.url }
    let after = url(sides.after)
    return after == url(sides.before) ? destination?.url : after
  }

  /// The app after the change, or as it was if it was struck out; nil unless the app itself changes.
  package var app: App? { record as? App }

  /// Whether someone should agree before it makes an answer stricter than `none` or leads to another page.
  package var asksWhenStricter: Bool { flags.contains(.asksWhenStricter) }
}
