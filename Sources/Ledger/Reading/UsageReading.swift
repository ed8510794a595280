import CSV
package import ReleaseModel
import SQLite

/// Why a text is not a count of devices, and where.
package struct UsageFault: Error, Sendable, Equatable {
  /// What is wrong, worded to follow a colon.
  package let reason: String
  package let line: Int
  /// What the line says instead of a version, or the version whose number is not one.
  package let version: String

  init(_ reason: String, line: Int, version: String = "") {
    (self.reason, self.line, self.version) = (reason, line, version)
  }
}

extension String {
  fileprivate var isDate: Bool {
    utf8.count == 10 && utf8.enumerated().allSatisfy { $0 == 4 || $0 == 7 ? $1 == 0x2D : 0x30...0x39 ~= $1 }
  }
}

extension Usage {
  package static let maximumSize = 1 << 20
  package static let maximumCount = 10_000

  /// Reads CSV with the columns `version` and `devices`, or Apple's App Sessions report, adding up the lines of one
  /// version; those that say no version or number are left out, if that is wished, and returned.
  ///
  /// Of the report, which has tabs between its fields, only the lines of the newest date count: a device that was used
  /// on two days is in the lines of both (App Store Connect, "App Sessions").
  package static func reading(
    csv bytes: [UInt8], countedAt: Timestamp, skipsRefused: Bool
  ) throws(UsageFault) -> (usage: Usage, refused: [UsageFault]) {
    let isReport = bytes.prefix { $0 != 0x0A }.contains(0x09)
    let names = isReport ? ("App Version", "Unique Devices") : ("version", "devices")
    var records: [CSVRecord]
    do {
      records = try CSVReader.records(
        of: bytes, separator: UInt8(ascii: isReport ? "\t" : ","),
        limit: isReport ? .max : Usage.maximumCount + 2)
    } catch {
      throw UsageFault(error.reason, line: error.line)
    }
    guard !records.isEmpty else { throw UsageFault("it is empty", line: 1) }
    let header = records.removeFirst().fields
    var sampled: String?
    if isReport {
      guard let date = header.firstIndex(of: "Date") else {
        throw UsageFault("the header does not have the column Date", line: 1)
      }
      func day(_ record: CSVRecord) -> String { date < record.fields.count ? record.fields[date] : "" }
      if let wrong = records.first(where: { !day($0).isDate }) {
        throw UsageFault("the date is not of the form 2026-11-20", line: wrong.line)
      }
      sampled = records.map(day).max()
      records = records.filter { day($0) == sampled }
    }
    guard records.count <= Usage.maximumCount else {
      throw UsageFault("it holds more than \(Usage.maximumCount) versions", line: Usage.maximumCount + 2)
    }
    guard let version = header.firstIndex(of: names.0), let devices = header.firstIndex(of: names.1),
      header.count(where: { $0 == names.0 || $0 == names.1 }) == 2
    else {
      throw UsageFault("the header does not have the columns \(names.0) and \(names.1) once each", line: 1)
    }
    var counts: [Version: Int64] = [:]
    var refused: [UsageFault] = []
    for record in records {
      do throws(UsageFault) {
        guard record.fields.count == header.count else {
          throw UsageFault(
            "it has \(record.fields.count) fields where the header has \(header.count)", line: record.line)
        }
        let (key, count) = try pair(record.fields[version], record.fields[devices], line: record.line)
        counts[key, default: 0] += count
      } catch {
        guard skipsRefused else { throw error }
        refused.append(error)
      }
    }
    let usage = Usage(counts, countedAt: countedAt, sampledOn: sampled)
    guard usage.total > 0 else { throw UsageFault("it counts no device", line: 1) }
    return (usage, refused)
  }

  private static func pair(
    _ text: String, _ digits: String, line: Int
  ) throws(UsageFault) -> (version: Version, devices: Int64) {
    // Analytics write `7.4.0 (512)`, with the build behind the version.
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let hasBuild =
      words.count == 2 && words[1].hasPrefix("(") && words[1].hasSuffix(")")
      && (try? Build(String(words[1].dropFirst().dropLast()))) != nil
    let version: Version
    do {
      version = try Version(hasBuild ? String(words[0]) : text)
    } catch {
      throw UsageFault("the version: \(error.reason)", line: line, version: text)
    }
    guard (1...12).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let count = Int64(digits)
    else { throw UsageFault("the devices are not a number of up to 12 digits", line: line, version: text) }
    return (version, count)
  }
}

extension Ledger {
  /// The latest count of an app's devices that can be read, up to an event.
  package func usage(of slug: String, upTo last: Int64? = nil) throws -> Usage? {
    try query(
      """
      SELECT received_at, body FROM evidence_row
      WHERE app = ? AND kind = 'usage' AND outcome = 'applied' AND event_seq <= ? AND body IS NOT NULL
      ORDER BY id DESC LIMIT 1
      """, .text(slug), .integer(last ?? .max)
    ) { row in
      // Anything else that stands there is found by `verify`, and is not a count.
      guard let countedAt = try? Timestamp(try row.text(0)) else { return Usage?.none }
      return try? Usage.reading(csv: try row.blob(1), countedAt: countedAt, skipsRefused: true).usage
    }.first ?? nil
  }

  /// The versions of an app that evidence is about, each as it spells them.
  package func spellings(of slug: String) throws -> [Version] {
    try query("SELECT DISTINCT version FROM evidence WHERE app = ? AND version IS NOT NULL", .text(slug)) {
      try $0.text(0)
    }.compactMap { try? Version($0) }
  }

  /// The evidence with the latest count of an app's devices.
  package func lastUsage(of slug: String) throws -> Evidence? {
    try records(Evidence.self, where: "kind = 'usage' AND outcome = 'applied' AND app = ?", .text(slug)).max {
      $0.id < $1.id
    }
  }
}
