import CSV
import CommandLineKit
import JSON
import ReleaseModel

/// One line of a file of past releases, not yet checked against any law.
struct PastRelease: Sendable {
  let line: Int
  /// The version as written in the file.
  let versionText: String
  let entry: Result<Entry, Refusal>

  /// Reads a time, which may be a date or a local time.
  typealias ReadTime = (String) throws -> Timestamp

  /// What a line says.
  struct Entry: Sendable {
    let version: Version
    let releasedAt: Timestamp
    let details: ReleaseDetails
  }

  /// Why a line cannot be taken.
  struct Refusal: Error, Sendable {
    let id: String
    let message: String
  }

  /// Makes an entry from the texts in a file.
  ///
  /// - Parameter time: Reads a time.
  init(
    line: Int, version text: String, releasedAt: String, build: String, minOS: String, notes: [Note],
    time: ReadTime = { try Timestamp($0) }
  ) {
    self.line = line
    versionText = text
    entry = Result { () throws(Refusal) in
      let version = try PastRelease.read("version", text, "version.malformed") { try Version($0) }
      let moment = try PastRelease.read("released_at", releasedAt, "time.malformed", parse: time)
      var details = ReleaseDetails()
      details.notes = notes
      if !build.isEmpty {
        details.build = try PastRelease.read("build", build, "build.malformed") {
          try Version($0, components: 3)
        }
      }
      if !minOS.isEmpty {
        details.minOS = try PastRelease.read("min_os", minOS, "version.malformed") {
          try Version($0, components: 3)
        }
      }
      return Entry(version: version, releasedAt: moment, details: details)
    }
  }

  /// Makes a line that cannot be taken.
  init(line: Int, version: String, refused id: String, _ message: String) {
    self.line = line
    versionText = version
    entry = .failure(Refusal(id: id, message: message))
  }

  private static func read<Value>(
    _ column: String, _ text: String, _ id: String, parse: (String) throws -> Value
  ) throws(Refusal) -> Value {
    do {
      return try parse(text)
    } catch {
      let reason =
        (error as? any TextFault)?.reason ?? (error as? CommandFailure).map {
          "\($0.message): \($0.hint ?? "")"
        }
        ?? "cannot be read"
      throw Refusal(id: id, message: "\(column) '\(printable(text, limit: 40))': \(reason)")
    }
  }
}

enum PastFile {
  /// The most bytes of a file that are read.
  static let limit = 8 << 20
  /// The most releases that a file may hold; fifty years of daily releases are fewer.
  static let maximumCount = 20_000

  private static let columns = ["version", "released_at", "build", "min_os", "notes"]

  /// Reads a file: JSON if it starts with a bracket or brace, otherwise CSV.
  ///
  /// - Returns: The lines, and the names of unknown columns.
  /// - Throws: `CommandFailure` with exit code 65 for a file that is neither.
  static func lines(
    of bytes: [UInt8], name: String, time: PastRelease.ReadTime
  ) throws -> (lines: [PastRelease], unknown: [String]) {
    let first = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
    if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
      return (
        try json(
          bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes, name: name, time), []
      )
    }
    return try csv(bytes, name: name, time)
  }

  static func unusable(
    _ name: String, _ reason: String, line: Int? = nil,
    hint: String =
      "write CSV with the header version,released_at[,build,min_os,notes], or a JSON array of such objects"
  ) -> CommandFailure {
    CommandFailure(
      "import.unusable-file",
      "cannot import '\(printable(name, limit: 200))': \(line.map { "line \($0): " } ?? "")\(reason)",
      hint: hint,
      details: line.map { ["line": .integer(Int64($0))] } ?? .object(JSON.Object()), exit: .data)
  }

  private static func tooLong(_ name: String) -> CommandFailure {
    CommandFailure(
      "import.too-long",
      "cannot import '\(printable(name, limit: 200))': it holds more than \(grouped(maximumCount)) releases",
      hint: "split the file, oldest releases first", details: ["limit": .integer(Int64(maximumCount))],
      exit: .data)
  }

  private static func csv(
    _ bytes: [UInt8], name: String, _ time: PastRelease.ReadTime
  ) throws -> ([PastRelease], [String]) {
    var records: [CSVRecord]
    do {
      // The header, and one record more than allowed, to detect a file that is too long.
      records = try CSVReader.records(of: bytes, limit: maximumCount + 2)
    } catch {
      throw unusable(name, error.reason, line: error.line)
    }
    guard !records.isEmpty else { throw unusable(name, "it is empty") }
    guard records.count <= maximumCount + 1 else { throw tooLong(name) }
    let header = records.removeFirst().fields.map { $0.trimmed.lowercased() }
    for required in columns.prefix(2) where !header.contains(required) {
      throw unusable(name, "its header has no column '\(required)'", line: 1)
    }
    for column in columns where header.filter({ $0 == column }).count > 1 {
      throw unusable(name, "its header has column '\(column)' twice", line: 1)
    }
    let positions = columns.map { header.firstIndex(of: $0) }
    let lines = records.map { record in
      func field(_ index: Int) -> String {
        positions[index].flatMap { record.fields.indices.contains($0) ? record.fields[$0] : nil } ?? ""
      }
      guard record.fields.count == header.count else {
        return PastRelease(
          line: record.line, version: field(0), refused: "import.columns",
          "it has \(record.fields.count) fields where the header has \(header.count)")
      }
      let notes = field(4)
      return PastRelease(
        line: record.line, version: field(0), releasedAt: field(1), build: field(2), minOS: field(3),
        notes: notes.isEmpty ? [] : [Note(locale: Note.undetermined, text: notes)], time: time)
    }
    return (lines, header.filter { !columns.contains($0) })
  }

  private static func json(
    _ bytes: [UInt8], name: String, _ time: PastRelease.ReadTime
  ) throws -> [PastRelease] {
    let value: JSON
    do {
      value = try JSON(parsing: bytes)
    } catch {
      throw unusable(name, error.reason, line: error.line)
    }
    guard let entries = value.array ?? value["releases"]?.array else {
      throw unusable(name, "it is not an array of releases")
    }
    guard entries.count <= maximumCount else { throw tooLong(name) }
    // Line numbers mean nothing in JSON, so its entries are counted instead.
    return entries.enumerated().map { index, entry in
      let line = index + 1
      let version = entry["version"]?.string ?? ""
      // 'releases --json' says `liveAt`.
      guard let releasedAt = (entry["released_at"] ?? entry["releasedAt"] ?? entry["liveAt"])?.string,
        entry["version"]?.string != nil
      else {
        return PastRelease(
          line: line, version: version, refused: "import.columns",
          "it needs the strings 'version' and 'released_at'")
      }
      func text(_ value: JSON?) -> String {
        value?.string ?? value?.integer.map { String($0) } ?? ""
      }
      var notes: [Note] = []
      switch entry["notes"] {
      case .string(let text) where !text.isEmpty: notes = [Note(locale: Note.undetermined, text: text)]
      case .object(let object):
        for member in object.members {
          guard Release.isLocale(member.key), let text = member.value.string else {
            return PastRelease(
              line: line, version: version, refused: "note.malformed",
              "'\(printable(member.key, limit: 40))' is not a language tag with a text")
          }
          notes.append(Note(locale: member.key, text: text))
        }
      default: break
      }
      return PastRelease(
        line: line, version: version, releasedAt: releasedAt, build: text(entry["build"]),
        minOS: text(entry["min_os"] ?? entry["minOS"]), notes: notes, time: time)
    }
  }
}
