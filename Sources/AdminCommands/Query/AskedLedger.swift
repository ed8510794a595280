import Ledger
import ReleaseModel

/// What was read from the ledger, as it is or as it was, and the moment that counts as now for it.
struct AskedLedger<Answer> {
  let answer: Answer
  let head: Head
  let moment: Timestamp

  /// Reads from the tables, all at one moment of theirs, or from the events until a point in the past, which are never
  /// altered and so are read in slices.
  init(
    _ ledger: Ledger, asOf point: PastPoint?, clock: Timestamp, _ read: (Ledger) throws -> Answer,
    replayed: (LedgerState) throws -> Answer
  ) throws {
    guard let point else {
      (answer, head) = try ledger.snapshotting { (try read(ledger), try ledger.head()) }
      moment = max(clock, head.at ?? clock)
      return
    }
    let state = try ledger.state(asOf: point)
    answer = try replayed(state)
    let hash = state.seq == 0 ? EventRecord.genesis : try ledger.event(state.seq).hash
    head = Head(seq: state.seq, hash: hash, at: state.at)
    switch point {
    case .event: moment = state.at ?? clock
    case .moment(let asked): moment = asked
    }
  }
}
