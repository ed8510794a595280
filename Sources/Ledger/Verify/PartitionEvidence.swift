import Crypto
import ReleaseModel
import SQLite

extension Partition {
  func compareEvidence() throws {
    let columns = Evidence.columns
    var reader = RowReader(count: columns.count)
    var next: Int64 = 1
    func missing(upTo last: Int64) {
      while next < last {
        if let trace = state.trace(next) {
          report(
            "row.missing", trace.event, "evidence \(next): the row made by event \(trace.event) is missing")
        }
        next += 1
      }
    }
    try slices(
      "SELECT \(columns.list), body FROM evidence WHERE ?1 IS NULL AND id > ?2 ORDER BY id",
      from: [.integer(.min)]
    ) { row in
      let id = try row.integer(0)
      if id > 0, id <= Int64(state.evidence.count) + 1 { missing(upTo: id) }
      next = max(next, id &+ 1)
      guard let trace = state.trace(id) else {
        report(
          "row.unexpected", try row.optionalInteger(columns.count - 1),
          "evidence \(id): no event made this row")
        return [.integer(id)]
      }
      let found: Evidence? = try? reader.read(row)
      if found?.digest != trace.digest { try explainEvidence(row, found, trace, id) }
      try checkBody(row, columns.count, id, trace)
      return [.integer(id)]
    }
    missing(upTo: Int64(state.evidence.count) + 1)
  }

  func explainEvidence(
    _ row: Row, _ found: Evidence?, _ trace: LedgerState.EvidenceTrace, _ id: Int64
  ) throws {
    guard let found else {
      return report("row.differs", trace.event, "evidence \(id): a column holds what pawl never writes")
    }
    guard var expected = (try? verifier.ledger.event(trace.event).change())?.evidence else { return }
    expected.event = trace.event
    explain(found, expected, "evidence \(id)", app: nil)
  }

  func checkBody(_ row: Row, _ column: Int, _ id: Int64, _ trace: LedgerState.EvidenceTrace) throws {
    let names = Evidence.columns.names
    guard let hash = names.firstIndex(of: "sha256"), let size = names.firstIndex(of: "size") else { return }
    let fault: String
    switch try row.lend(column) {
    case .null:
      guard trace.hasBody else { return }
      fault = "its bytes are missing"
    case .blob where !trace.hasBody: fault = "it has bytes, but came without any"
    case .blob(let bytes):
      var digest = SHA256()
      digest.update(bytes)
      let found = hexadecimalText(digest.finish())
      if try row.value(hash) != .text(found) {
        fault = "its bytes have the SHA-256 \(found), not the one recorded"
      } else if try row.value(size) != .integer(Int64(bytes.count)) {
        fault = "it has \(bytes.count) bytes, not the number recorded"
      } else {
        return
      }
    default: fault = "its body is of a type that pawl never writes"
    }
    report("evidence.hash", trace.event, "evidence \(id): \(fault)")
  }
}
