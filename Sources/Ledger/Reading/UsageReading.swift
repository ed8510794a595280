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

extension Usage {
  package static let maximumSize = 1 << 20
  package static let maximumCount = 10_000

  /// Reads CSV with the columns `version` and `devices`, adding up the lines of one version; those that say no version or
  /// number are left out, if that is wished, and returned.
  package static func reading(
    csv bytes: [UInt8], countedAt: Timestamp, skipsRefused: Bool
  ) throws(UsageFault) -> (usage: Usage, refused: [UsageFault]) {
    var records: [CSVRecord]
    do {
      records = try CSVReader.records(of: bytes, limit: Usage.maximumCount + 2)
    } catch {
      throw UsageFault(error.reason, line: error.line)
    }
    guard !records.isEmpty else { throw UsageFault("it is empty", line: 1) }
    let header = records.removeFirst().fields.map { $0.trimmed.lowercased() }
    guard records.count <= Usage.maximumCount else {
      throw UsageFault("it holds more than \(Usage.maximumCount) versions", line: Usage.maximumCount + 2)
    }
    guard let version = header.firstIndex(of: "version"), let devices = header.firstIndex(of: "devices"),
      header.count(where: { $0 == "version" || $0 == "devices" }) == 2
    else {
      throw UsageFault("the header does not have the columns version and devices once each", line: 1)
    }
    var counts: [Version: Int64] = [:]
    var spellings: [Version] = []
    var refused: [UsageFault] = []
    for record in records {
      do throws(UsageFault) {
        guard record.fields.count == header.count else {
          throw UsageFault(
            "it has \(record.fields.count) fields where the header has \(header.count)", line: record.line)
        }
        let (key, count) = try pair(record.fields[version], record.fields[devices], line: record.line)
        counts[key, default: 0] += count
        spellings.append(key)
      } catch {
        guard skipsRefused else { throw error }
        refused.append(error)
      }
    }
    let usage = Usage(counts, countedAt: countedAt, spellings: spellings)
    guard usage.total > 0 else { throw UsageFault("it counts no device", line: 1) }
    return (usage, refused)
  }

  private static func pair(
    _ text: String, _ digits: String, line: Int
  ) throws(UsageFault) -> (version: Version, devices: Int64) {
    let version: Version
    do {
      version = try Version(text)
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
    try query("SELECT DISTINCT version FROM evidence_row WHERE app = ? AND version IS NOT NULL", .text(slug))
    {
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
