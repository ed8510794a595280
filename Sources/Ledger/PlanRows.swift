import JSON
import ReleaseModel

/// Where a change is not what the row of a plan says.
struct RowDifference: Equatable {
  /// The member of the row: `kind`, `app`, `version`, `before` or `after`.
  let member: String
  /// The member of what is before or after; nil where they differ as a whole.
  var key: String?
  let found: JSON
  let planned: JSON

  /// Compares a change with the row of a plan.
  ///
  /// - Parameter clocks: When the plan was made, and when the change is; nil where its moments are its own.
  /// - Returns: The first difference; nil where there is none but a new row's number, and moments that count from now.
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
        // A new row's own number counts up through the ledger; which row is changed stands in what is before.
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

  /// Whether two moments are equally far from when the change is made and from when the plan was.
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
