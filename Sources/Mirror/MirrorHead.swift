import Crypto
package import ReleaseModel

/// What a mirror says of an app: whose schedule it holds, and which.
package struct MirrorHead: Sendable, Equatable {
  package let app: String
  package let ledger: String
  /// The ledger's file, as `FileIdentity` writes it.
  package let file: String
  /// The event that made the schedule, and its hash.
  package let generation: Int64
  package let hash: String
  package let digest: String

  package init(app: String, ledger: String, file: String, generation: Int64, hash: String, digest: String) {
    (self.app, self.ledger, self.file) = (app, ledger, file)
    (self.generation, self.hash, self.digest) = (generation, hash, digest)
  }

  static let none = MirrorHead(app: "", ledger: "", file: "", generation: 0, hash: "", digest: "")

  var cells: [(column: String, value: String)] {
    [
      ("ledger", ledger), ("file", file), ("generation", String(generation)), ("hash", hash),
      ("digest", digest),
    ]
  }
}

/// An app's schedule as mirrors hold it.
package struct MirroredApp: Sendable {
  package let head: MirrorHead
  /// The moment that the schedule starts at, in seconds since 1970: a mirror's clock counts as no earlier.
  let notBefore: Int64
  let rows: [ScheduleRow]
  let notes: [(app: String, version: Version, notes: [Note])]

  package init(_ schedule: Schedule, ledger: String, file: String, generation: Int64, hash: String) {
    rows = schedule.rows
    notes = schedule.notes
    notBefore = schedule.from.seconds
    head = MirrorHead(
      app: schedule.app, ledger: ledger, file: file, generation: generation, hash: hash,
      digest: Schedule.digest(rows, notes: notes))
  }

  /// What a mirror that holds the schedule answers when it is asked for all of it.
  package var lines: [String] {
    let lines = Schedule.lines(rows, notes: notes)
    return ["\(notBefore)"] + lines.rows + lines.notes
  }
}

/// What came back from a mirror. Nothing else is believed, not even that a command ended well.
package struct MirrorReply: Sendable {
  /// Whether anything answered at all.
  package private(set) var isThere = false
  /// The version of the mirror's tables; nil if there are none.
  package private(set) var format: Int?
  /// In seconds since 1970.
  package private(set) var clock: Int64?
  package private(set) var heads: [String: MirrorHead] = [:]
  /// The apps that the mirror's own switch has stopped.
  package private(set) var stopped: Set<String> = []
  /// Everything that was asked for about an app, in order.
  package private(set) var lines: [String: [String]] = [:]
  /// The apps of which there may be heads, where a store cannot list them all at once.
  package private(set) var names: Set<String> = []

  /// Reads what a command wrote; lines that are not for pawl are passed over, and so is a last line that is cut.
  package init(_ output: [UInt8]) {
    for line in output.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      let text = String(decoding: line, as: UTF8.self)
      let words = text.split { $0 == " " || $0 == "\r" }.map(String.init)
      switch words.first {
      case "pawl-here": isThere = true
      case "pawl-mirror" where words.count == 3: (format, clock) = (Int(words[1]), Int64(words[2]))
      case "pawl" where words.count == 8:
        guard App.isSlug(words[1]), let generation = Int64(words[4]) else { continue }
        heads[words[1]] = MirrorHead(
          app: words[1], ledger: words[2], file: words[3], generation: generation, hash: words[5],
          digest: words[6])
      case "pawl-stopped" where words.count == 2: stopped.insert(words[1])
      case "pawl-name" where words.count == 2: names.insert(words[1])
      case "pawl-row" where words.count > 2:
        lines[words[1], default: []].append(words.dropFirst(2).joined(separator: " "))
      default: continue
      }
    }
  }

  /// Adds the heads of another reply.
  package mutating func add(_ other: MirrorReply) {
    heads.merge(other.heads) { $1 }
    stopped.formUnion(other.stopped)
  }

  private static func cells(_ line: String) -> [String: String] {
    let words = line.split(separator: " ")
    guard words.count == ScheduleRow.columns.count else { return [:] }
    var cells: [String: String] = [:]
    for (column, word) in zip(ScheduleRow.columns, words) {
      cells[column.name] = hexadecimalBytes(String(word)).map { String(decoding: $0, as: UTF8.self) }
    }
    return cells
  }

  /// The first version that a line is about; nil if it is no row's.
  package static func firstVersion(of line: String) -> Version? {
    cells(line)["lo"].flatMap(VersionKey.init)?.version
  }

  /// What a mirror's rows tell a version at a moment in seconds since 1970; nil if none does.
  package func told(_ app: String, _ version: Version, at moment: Int64) -> (action: Action, url: String?)? {
    if stopped.contains(app) { return (.none, nil) }
    let key = VersionKey(version).text
    for line in lines[app] ?? [] {
      let row = Self.cells(line)
      func cell(_ name: String) -> String { row[name] ?? "" }
      guard cell("lo") <= key, key < cell("hi"), Int64(cell("valid_from")).map({ $0 <= moment }) == true,
        Int64(cell("valid_until")).map({ moment < $0 }) == true
      else { continue }
      return Action(rawValue: cell("action")).map { ($0, row["url"]) }
    }
    return nil
  }
}
