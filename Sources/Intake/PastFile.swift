package import AppleIntake
import CSV
import JSON
package import ReleaseModel

/// One line of a file of past releases, not yet checked against any law.
package struct PastRelease: Sendable {
  package let line: Int
  package let versionText: String
  package let version: Version
  package var releasedAt: Timestamp
  /// What it says besides version and time.
  package fileprivate(set) var details = ReleaseDetails()
  /// Its state in App Store Connect; nil for what people wrote.
  package fileprivate(set) var state: ReleaseState?

  /// Whether it was in the store at some time.
  package var wasReleased: Bool { state?.isReleased ?? true }
}

/// A line of a file that is not taken, and why.
package struct RefusedLine: Error, Sendable {
  package let line: Int64
  package let version: String
  package let id: String
  package let message: String

  package init(_ line: Int, _ version: String, id: String, _ message: String) {
    (self.line, self.version, self.id, self.message) = (Int64(line), version, id, message)
  }
}

/// A file of past releases, as people write one.
package struct PastFile {
  let name: String

  package init(name: String) { self.name = name }

  /// The lines of a file, those that cannot be taken among them.
  package typealias Lines = [Result<PastRelease, RefusedLine>]

  package static let limit = 8 << 20
  /// The most releases that a file may hold; fifty years of daily releases are fewer.
  private static let maximumCount = 20_000

  /// Reads a time; throws `TextFault`.
  package typealias ReadTime = (String) throws -> Timestamp

  /// Reads past releases, JSON or CSV; also returns the names of unknown columns.
  package func releases(_ bytes: [UInt8], time: ReadTime) throws -> (
    lines: Lines, unknown: [String]
  ) {
    // A byte order mark is none of these.
    let first = bytes.first { 0x21...0x7E ~= $0 }
    if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") { return try json(bytes, time) }
    return try table(bytes, time)
  }

  private func unusable(_ reason: String, line: Int? = nil) -> Refusal {
    Refusal(
      "import.unusable-file", ["file": name, "reason": (line.map { "line \($0): " } ?? "") + reason],
      details: line.map { ["line": .integer(Int64($0))] } ?? [:])
  }

  private func checkCount(_ count: Int) throws {
    guard count > PastFile.maximumCount else { return }
    throw Refusal(
      "import.too-long", ["file": name, "most": "20,000"],
      details: ["limit": .integer(Int64(PastFile.maximumCount))])
  }

  /// The columns that are known, of which the header must have the first two.
  private static let columns = ["version", "released_at", "build", "min_os", "notes"]

  private func table(
    _ bytes: [UInt8], _ time: ReadTime
  ) throws -> (lines: Lines, unknown: [String]) {
    var records: [CSVRecord]
    do {
      // The header, and one record more than allowed, to detect a file that is too long.
      records = try CSVReader.records(of: bytes, limit: PastFile.maximumCount + 2)
    } catch {
      throw unusable(error.reason, line: error.line)
    }
    guard !records.isEmpty else { throw unusable("it is empty") }
    let header = records.removeFirst().fields.map { $0.trimmed.lowercased() }
    try checkCount(records.count)
    let columns = PastFile.columns
    for required in columns.prefix(2) where !header.contains(required) {
      throw unusable("its header has no column '\(required)'", line: 1)
    }
    for column in columns where header.filter({ $0 == column }).count > 1 {
      throw unusable("its header has column '\(column)' twice", line: 1)
    }
    let lines: Lines = records.map { record in
      let known = zip(header, record.fields).filter { columns.contains($0.0) }
      let entry = JSON.object(JSON.Object(known.map { ($0, .string($1)) }))
      return Result { () throws(RefusedLine) in
        guard record.fields.count == header.count else {
          throw RefusedLine(
            record.line, entry["version"]?.string ?? "", id: "import.columns",
            "it has \(record.fields.count) fields where the header has \(header.count)")
        }
        return try release(record.line, entry, time)
      }
    }
    return (lines, header.filter { !columns.contains($0) })
  }

  /// The members that are read, in the names of 'releases --json', too.
  private static let members = Set(columns + ["releasedAt", "liveAt", "minOS", "state", "locales"])

  private func json(
    _ bytes: [UInt8], _ time: ReadTime
  ) throws -> (lines: Lines, unknown: [String]) {
    let value: JSON
    do {
      value = try JSON(parsing: bytes)
    } catch {
      throw unusable(error.reason, line: error.line)
    }
    guard let entries = value.array ?? value["releases"]?.array else {
      throw unusable("it is not an array of releases")
    }
    try checkCount(entries.count)
    // Line numbers mean nothing in JSON, so its entries are counted instead.
    let lines: Lines = entries.enumerated().map { index, entry in
      Result { () throws(RefusedLine) in try release(index + 1, entry, time) }
    }
    let named = Set(entries.flatMap { ($0.object?.members ?? []).map(\.key) })
    return (lines, named.subtracting(PastFile.members).sorted())
  }

  private func release(_ line: Int, _ entry: JSON, _ time: ReadTime) throws(RefusedLine) -> PastRelease {
    let text = entry["version"]?.string ?? ""
    func refused(_ id: String, _ message: String) -> RefusedLine {
      RefusedLine(line, text, id: id, message)
    }
    func read<Value>(
      _ column: String, _ written: String, _ id: String, _ parse: (String) throws -> Value
    ) throws(RefusedLine) -> Value {
      do {
        return try parse(written)
      } catch {
        throw refused(
          id, "\(column) '\(written.prefix(40))': \((error as? TextFault)?.reason ?? "cannot be read")")
      }
    }
    func given(_ names: String...) throws(RefusedLine) -> String {
      guard let value = names.lazy.compactMap({ entry[$0] }).first, value != .null else { return "" }
      guard let text = value.string ?? value.integer.map({ String($0) }) else {
        throw refused("import.columns", "'\(names[0])' is neither a string nor a whole number")
      }
      return text
    }
    if let state = entry["state"]?.string, state != "live", state != "superseded" {
      throw refused(
        "import.not-live",
        "its state is '\(state.prefix(40))', and what is imported becomes live")
    }
    let moment = entry["released_at"] ?? entry["releasedAt"] ?? entry["liveAt"]
    guard let moment = moment?.string, entry["version"]?.string != nil else {
      throw refused("import.columns", "it needs the strings 'version' and 'released_at'")
    }
    var release = PastRelease(
      line: line, versionText: text,
      version: try read("version", text, "version.malformed") { try Version($0) },
      releasedAt: try read("released_at", moment, "time.malformed", time))
    let (build, minOS) = (try given("build"), try given("min_os", "minOS"))
    if !build.isEmpty {
      release.details.build = try read("build", build, "build.malformed") { try Build($0) }
    }
    if !minOS.isEmpty {
      release.details.minOS = try read("min_os", minOS, "version.malformed") { try Version(system: $0) }
    }
    let notes = entry["notes"] ?? .null
    guard notes == .null || notes.string != nil || notes.object != nil else {
      throw refused("note.malformed", "'notes' is neither a string nor an object of languages")
    }
    if let text = notes.string, !text.isEmpty {
      release.details.notes = [Note(locale: Note.undetermined, text: text)]
    }
    let locales = entry["locales"]?.array?.compactMap(\.string) ?? []
    func place(_ locale: String) -> Int { locales.firstIndex(of: locale) ?? locales.count }
    for member in (notes.object?.members ?? []).sorted(by: { place($0.key) < place($1.key) }) {
      guard Release.isLocale(member.key), let text = member.value.string else {
        throw refused("note.malformed", "'\(member.key.prefix(40))' is not a language tag with a text")
      }
      guard !release.details.notes.contains(where: { $0.isIn(member.key) }) else {
        throw refused("note.malformed", "'\(member.key)' is a language that the line has twice")
      }
      release.details.notes.append(Note(locale: member.key, text: text))
    }
    return release
  }
}

/// Past releases as App Store Connect answers them.
package enum ConnectPast {
  /// The answer in a file, or its pages, which someone put into an array.
  package static func answers(in bytes: [UInt8], about app: App) throws -> [ConnectAnswer] {
    let tree = try ConnectAnswer.tree(of: bytes)
    return try (tree.array ?? [tree]).map { try ConnectAnswer($0, appleID: app.appleID) }
  }

  /// Every version on the app's platform, numbered among all.
  package static func lines(of versions: [ConnectVersion], about app: App, now: Timestamp) -> PastFile.Lines {
    versions.enumerated().filter { $0.element.platform == app.platform }.map { place, version in
      Result { () throws(RefusedLine) in
        try PastRelease(line: place + 1, version, waits: app.remindAfter == .phase, now: now)
      }
    }
  }
}

extension PastRelease {
  fileprivate init(line: Int, _ said: ConnectVersion, waits: Bool, now: Timestamp) throws(RefusedLine) {
    guard !said.isNotarized else {
      throw RefusedLine(
        line, said.versionText, id: "import.not-in-store", "it was reviewed for notarization alone")
    }
    guard let state = said.state else {
      throw RefusedLine(
        line, said.versionText, id: "import.unknown-state",
        "its state '\(said.stateName.prefix(60))' has a name that this version of pawl does not know")
    }
    if state.isReleased, said.datedAt == nil {
      throw RefusedLine(line, said.versionText, id: "time.malformed", "it has no date")
    }
    let at = min(said.datedAt ?? now, now)
    do throws(TextFault) {
      self.init(
        line: line, versionText: said.versionText, version: try Version(said.versionText), releasedAt: at)
    } catch {
      throw RefusedLine(
        line, said.versionText, id: "version.malformed",
        "version '\(said.versionText.prefix(40))': \(error.reason)")
    }
    var release = Release(id: 0, version: version, state: state, since: at)
    if state.isReleased { release.liveAt = at }
    self.state = state
    details = said.details(new: release, isFetched: false, waits: waits, now: now)
  }
}
