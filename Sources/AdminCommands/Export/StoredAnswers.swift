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
    // A short read for each app, outside of which its schedule is made: a long one would hold up whoever writes.
    let (snapshot, stored, generation, event) = try snapshotting {
      let snapshot = try snapshot(slug)
      let generation = try generation(of: slug)
      return (
        snapshot, try? storedSchedule(of: snapshot), generation,
        generation > 0 ? try hash(of: generation) : nil
      )
    }
    let decided = Schedule(snapshot, from: moment)
    var schedule = stored.flatMap { Schedule(app: slug, rows: $0.rows) } ?? decided
    if moment < schedule.from || !decided.saysTheSame(as: schedule, since: moment) { schedule = decided }
    return AppAnswers(
      snapshot, schedule, at: moment, generation: generation,
      hash: stored?.hash ?? event ?? EventRecord.genesis,
      ledger: try name(), includesUnreleased: includesUnreleased)
  }
}
