import CSV
import CommandLineKit
import ReleaseModel

/// A row of a table of flags: what a server told the clients of one version.
struct FlagRow {
  let line: Int
  let version: Version
  /// What its flags say.
  let action: Action
  let isInReview: Bool
  /// The page that its clients were sent to.
  let page: String?
  /// The row as it is written.
  let text: String
}

/// A table with the columns `version`, `updated` and `force_updated`, and optionally `review` and `download_url`.
enum FlagTable {
  private static let columns = ["version", "updated", "force_updated", "review", "download_url"]

  /// Reads a table.
  ///
  /// - Returns: The rows, ascending by version.
  /// - Throws: `CommandFailure` with exit code 65.
  static func rows(of bytes: [UInt8], name: String) throws -> [FlagRow] {
    func unusable(_ reason: String, line: Int? = nil) -> CommandFailure {
      PastFile.unusable(
        name, reason, line: line,
        hint: "write CSV with the header version,updated,force_updated[,review,download_url], flags as Y or N"
      )
    }
    var records: [CSVRecord]
    do {
      records = try CSVReader.records(of: bytes, limit: PastFile.maximumCount + 1)
    } catch {
      throw unusable(error.reason, line: error.line)
    }
    let header = records.isEmpty ? [] : records.removeFirst().fields.map { $0.trimmed.lowercased() }
    for (index, column) in columns.enumerated() {
      let count = header.count { $0 == column }
      guard count == 1 || (count == 0 && index > 2) else {
        throw unusable("its header has \(count == 0 ? "no column" : "twice the column") '\(column)'", line: 1)
      }
    }
    var rows: [FlagRow] = []
    for record in records {
      let line = record.line
      guard record.fields.count == header.count else {
        throw unusable(
          "it has \(record.fields.count) fields where the header has \(header.count)", line: line)
      }
      let fields = columns.map { column in
        header.firstIndex(of: column).map { record.fields[$0].trimmed } ?? ""
      }
      let version: Version
      do {
        version = try Version(fields[0])
      } catch {
        throw unusable("invalid version '\(printable(fields[0], limit: 40))': \(error.reason)", line: line)
      }
      func flag(_ index: Int) throws -> Bool {
        switch fields[index].lowercased() {
        case "y", "yes", "1", "true": return true
        case "n", "no", "0", "false", "": return false
        default: throw unusable("\(columns[index]) is neither Y nor N", line: line)
        }
      }
      let (isUpdated, isForced, isInReview) = try (flag(1), flag(2), flag(3))
      guard isUpdated || !isForced else {
        throw unusable("\(version.text) is force_updated but not updated", line: line)
      }
      rows.append(
        FlagRow(
          line: line, version: version, action: isForced ? .force : isUpdated ? .remind : .none,
          isInReview: isInReview, page: fields[4].isEmpty ? nil : fields[4],
          text: fields.map { printable($0, limit: 200) }.joined(separator: " ").trimmed))
    }
    rows.sort { ($0.version, $0.line) < ($1.version, $1.line) }
    for (row, next) in zip(rows, rows.dropFirst()) where row.version == next.version {
      throw unusable("\(next.version.text) is in line \(row.line) already", line: next.line)
    }
    return rows
  }
}
