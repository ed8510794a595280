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
  /// How many schedules of the app the mirror has taken, by its own count: it orders runs, and says nothing else.
  @Unsaid fileprivate(set) var fence: Int64 = 0

  package init(app: String, ledger: String, file: String, generation: Int64, hash: String, digest: String) {
    (self.app, self.ledger, self.file) = (app, ledger, file)
    (self.generation, self.hash, self.digest) = (generation, hash, digest)
  }

  typealias Cell = (column: String, kind: ColumnKind, value: String)

  static let columns = MirrorHead(app: "", ledger: "", file: "", generation: 0, hash: "", digest: "")
    .cells.map { (name: $0.column, kind: $0.kind) }

  var cells: [Cell] { cells(fence: fence) }

  func cells(fence: Int64) -> [Cell] {
    [
      ("ledger", .word, ledger), ("file", .text, file), ("generation", .integer, "\(generation)"),
      ("fence", .integer, "\(fence)"), ("hash", .word, hash), ("digest", .word, digest),
    ]
  }

  /// The fence of the head that takes this one's place; a mirror that counted to the end begins anew.
  var nextFence: Int64 { fence == .max ? 1 : fence + 1 }
}

/// An app's schedule as mirrors hold it.
package struct MirroredApp: Sendable {
  package let head: MirrorHead
  /// The moment that the schedule starts at, in seconds since 1970: a mirror's clock counts as no earlier.
  let notBefore: Int64
  let rows: [Tile]
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
  /// Whether anything answered at all; of rows, which are many, whether all of them came.
  package private(set) var isThere = false
  /// Whether the function that backends ask is there.
  package private(set) var canAsk = false
  private(set) var troubles: Set<MirrorTrouble> = []
  /// The version of the mirror's tables; nil if it did not say.
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
  /// What the server and its client say went wrong.
  package private(set) var complaints: [String]

  /// Reads what a command wrote; lines that are not for pawl are passed over, and so is a last line that is cut.
  package init(_ output: [UInt8], errors: [UInt8], of store: any MirrorStore) {
    var said: [String] = []
    for line in output.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\r" }.map(String.init)
      switch words.first {
      case "pawl-here": isThere = true
      case "pawl-asks": canAsk = true
      case "pawl-none": troubles.insert(.noTables)
      case "pawl-denied": troubles.insert(.rights)
      case "pawl-mirror" where words.count == 3: (format, clock) = (Int(words[1]), Int64(words[2]))
      case "pawl" where words.count > 1:
        guard App.isSlug(words[1]) else { continue }
        var cells = line.split(separator: 0x20, omittingEmptySubsequences: false).map {
          String(decoding: $0, as: UTF8.self)
        }
        // A head that somebody emptied or spoiled is there all the same.
        if cells.count != 8 { cells = Array(repeating: "", count: 8) }
        heads[words[1]] = MirrorHead(
          app: words[1], ledger: cells[2], file: cells[3], generation: Int64(cells[4]) ?? 0, hash: cells[5],
          digest: cells[6])
      case "pawl-state" where words.count == 4:
        heads[words[1]]?.fence = Int64(words[2]) ?? 0
        if words[3] != "0" { stopped.insert(words[1]) }
      case "pawl-name" where words.count == 2: names.insert(words[1])
      case "pawl-row" where words.count > 2:
        lines[words[1], default: []].append(words.dropFirst(2).joined(separator: " "))
      case "pawl-raw" where words.count > 2:
        let cells = line.dropFirst("pawl-raw \(words[1]) ".utf8.count)
        lines[words[1], default: []].append(Self.hexadecimal(cells))
      // Redis's errors have a code in capitals.
      case let code?
      where words.count > 1 && code.utf8.count > 2 && code.utf8.allSatisfy { 0x41...0x5A ~= $0 }:
        said.append(words.joined(separator: " "))
      default: continue
      }
    }
    complaints = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    if complaints.isEmpty { complaints = said }
    // Some clients repeat statements beside errors.
    let errors = complaints.filter { $0.holds("ERROR") || $0.holds("FATAL") }
    if !errors.isEmpty { complaints = errors }
    for (trouble, signs) in store.signs
    where complaints.contains(where: { complaint in signs.contains { complaint.holds($0) } }) {
      troubles.insert(trouble)
    }
  }

  /// A line of cells that came as they are, with tabs between them: an empty one is NULL, and 1 and 2 stand for a line
  /// feed and a tab.
  private static func hexadecimal(_ cells: ArraySlice<UInt8>) -> String {
    cells.split(separator: 0x09, omittingEmptySubsequences: false).map { cell in
      cell.isEmpty ? "-" : hexadecimalText(cell.map { $0 == 1 ? 0x0A : $0 == 2 ? 0x09 : $0 })
    }.joined(separator: " ")
  }

  /// Adds the heads of another reply.
  package mutating func add(_ other: MirrorReply) {
    heads.merge(other.heads) { $1 }
    stopped.formUnion(other.stopped)
  }
}
