import HTMLReport
import Ledger
import ReleaseModel

/// Reads what reports say, in short reads that hold nobody up.
///
/// It first reads an app's tables at one moment, then the events up to the head of that moment, which are
/// never altered.
struct ReportReading {
  let ledger: Ledger
  let name: String
  let limit: Int
  /// The ledger as it was, and its head; nil to read the present tables.
  let past: (state: LedgerState, head: Head)?

  /// The decisions about an app, and the head that they are based on.
  func snapshot(_ slug: String) throws -> (snapshot: Snapshot, head: Head) {
    if let past { return (try past.state.snapshot(slug), past.head) }
    return try ledger.snapshotting { (try ledger.snapshot(slug), try ledger.head()) }
  }

  func report(_ slug: String, at moment: Timestamp) throws -> AppReport {
    let (snapshot, head) = try snapshot(slug)
    var past = ReportPast(of: snapshot.line, limit: limit)
    var reader = ChangeReader()
    try ledger.eachEvent(HistoryFilter(app: slug, last: head.seq)) { event in
      let change = Result { try event.change(by: &reader) }
      try past.add(event.seq, kind: event.kind) {
        ReportEvent(event, try? change.get())
      } change: {
        try change.get()
      } reasons: {
        try ledger.rejection(in: event)
      }
      return true
    }
    return try AppReport(
      snapshot, at: moment, head: reportHead(head), past: past,
      usage: ledger.usage(of: slug, upTo: head.seq)
    ) {
      let event = try ledger.event($0)
      return ReportEvent(event, try? event.change())
    }
  }

  func reportHead(_ head: Head) -> ReportHead { ReportHead(ledger: name, seq: head.seq, hash: head.hash) }
}

extension ReportEvent {
  fileprivate init(_ event: EventRecord, _ change: Change?) {
    self.init(
      seq: event.seq, at: event.at, who: Actor(event).text, what: EventText.what(event, change),
      reason: event.reason, json: { event.json })
  }
}
