import Export
import Ledger
import ReleaseModel

extension Ledger {
  /// What documents of an app are made from.
  ///
  /// The stored schedule is used as long as it says what the decision function says: a schedule's document has
  /// the same bytes whenever it is written.
  func answers(of slug: String, at moment: Timestamp, includesUnreleased: Bool) throws -> AppAnswers {
    // A short read for each app, outside of which its schedule is made: a long one would hold up whoever writes.
    var stored: StoredSchedule?
    let (snapshot, generation, event): (Snapshot, Int64, String) = try snapshotting {
      let snapshot = try self.snapshot(slug)
      stored = try? storedSchedule(of: snapshot)
      let generation = try self.generation(of: slug)
      return (snapshot, generation, try self.hash(of: generation) ?? EventRecord.genesis)
    }
    let decided = Schedule(snapshot, from: moment)
    var schedule = stored.flatMap { Schedule(app: slug, rows: $0.rows) } ?? decided
    if moment < schedule.from || !decided.saysTheSame(as: schedule, since: moment) { schedule = decided }
    return AppAnswers(
      snapshot, schedule, at: moment, generation: generation,
      hash: stored?.hash ?? event, ledger: try name(),
      includesUnreleased: includesUnreleased)
  }
}
