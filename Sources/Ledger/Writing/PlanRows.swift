import JSON
import ReleaseModel

/// Where a change differs from its row in a plan.
struct RowDifference: Equatable {
  let member: String
  var key: String?
  let found: JSON
  let planned: JSON

  /// The first difference of a change from a plan's row, its number and moments that count from now, or any
  /// without clocks, aside.
  static func between(
    _ found: JSON, _ row: JSON, _ clocks: (then: Timestamp, now: Timestamp)?
  ) -> RowDifference? {
    for member in ["kind", "app", "version", "before", "after"] {
      let (now, then) = (found[member] ?? .null, row[member] ?? .null)
      guard now != then else { continue }
      guard member == "before" || member == "after", let members = now.object?.members,
        let others = then.object
      else { return RowDifference(member: member, found: now, planned: then) }
      for one in members where one.value != others[one.key] {
        // A new row's number counts up through the ledger; `before` says which row is changed.
        if member == "after", one.key == "id" || one.key == "number" { continue }
        if member == "after", isSameDistance(one.value, others[one.key], clocks) { continue }
        return RowDifference(
          member: member, key: one.key, found: one.value, planned: others[one.key] ?? .null)
      }
      guard members.map(\.key) == others.members.map(\.key) else {
        return RowDifference(member: member, found: now, planned: then)
      }
    }
    return nil
  }

  /// Whether one moment is as far from the making of the change as the other is from the making of the plan.
  private static func isSameDistance(
    _ found: JSON, _ planned: JSON?, _ clocks: (then: Timestamp, now: Timestamp)?
  ) -> Bool {
    guard let found = found.string.flatMap({ try? Timestamp($0) }),
      let planned = planned?.string.flatMap({ try? Timestamp($0) })
    else { return false }
    guard let clocks else { return true }
    return found.seconds - clocks.now.seconds == planned.seconds - clocks.then.seconds
  }
}
