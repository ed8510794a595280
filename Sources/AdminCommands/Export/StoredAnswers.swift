import Export
import Ledger
import ReleaseModel

extension Ledger {
  /// What documents of an app are made from.
  ///
  /// The stored schedule is used as long as it says what the decision function says: a schedule's document has
  /// the same bytes whenever it is written.
  ///
  /// - Throws: `LedgerError`.
  func answers(of slug: String, at moment: Timestamp, includesUnreleased: Bool) throws -> AppAnswers {
    let snapshot = try snapshot(slug)
    let decided = Schedule(snapshot, from: moment)
    let stored = try? storedSchedule(of: snapshot)
    var schedule = stored.flatMap { Schedule(app: slug, rows: $0.rows) } ?? decided
    if moment < schedule.from || !decided.saysTheSame(as: schedule, since: moment) { schedule = decided }
    let generation = try generation(of: slug)
    return AppAnswers(
      snapshot, schedule, at: moment, generation: generation,
      hash: try stored?.hash ?? (generation > 0 ? event(generation).hash : EventRecord.genesis),
      ledger: try name(), includesUnreleased: includesUnreleased)
  }
}
