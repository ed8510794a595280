import CommandLineKit
import Intake
import Ledger
import ReleaseModel

// What is taken over from App Store Connect.
extension Import {
  /// Records a version that was never in the store, in its state.
  func publish(_ line: PastRelease, _ draft: inout ChangeSet) throws {
    let now = draft.now
    try draft.change(app, "import \(line.version.text)") { releases, id throws(Refusal) in
      try releases.publish(line.version, line.details, id: id, now: now)
    }
    try mark(line, &draft)
  }

  func mark(_ line: PastRelease, _ draft: inout ChangeSet) throws {
    guard let state = line.state, state != .prepared else { return }
    let now = draft.now
    try draft.change(app, "import \(line.version.text)") { releases, _ throws(Refusal) in
      try releases.mark(line.version, state, at: nil, isVisibleNow: false, now: now)
    }
  }

  /// What someone should know of a past that App Store Connect lists.
  func listedNotes(_ line: AppState) -> [String] {
    guard imported > 0 else { return [] }
    var notes = ["App Store Connect's dates say when a version was created there, not when it went on sale"]
    if raised > 0 {
      notes.append(
        "\(grouped(raised)) \(raised == 1 ? "date was" : "dates were") before that of the version below, and raised to it"
      )
    }
    if let onSale, taken[onSale] != nil, let release = line.counted(onSale), let visibleAt = release.visibleAt
    {
      notes.append("\(release.version.text) is on sale, and clients are told of it from \(visibleAt.text) on")
    }
    return notes
  }

  /// Says how to choose another policy where versions begin with their year, so that each January would force everyone.
  func yearNotes(_ policy: SegmentPolicy) -> [String] {
    let newest = taken.values.sorted { $1.version < $0.version }.prefix(24)
    let years = Set(newest.map { $0.version.component(0) })
    func isYear(_ line: PastRelease) -> Bool {
      let year = Int64(line.releasedAt.text.prefix(4)) ?? 0
      return [year, year % 100].contains(line.version.component(0))
    }
    let isFull = newest.first.map { (2000..<2100).contains($0.version.component(0)) } ?? false
    guard policy.actions.first == .force, !newest.isEmpty,
      isFull || years.count > 1 && newest.allSatisfy(isYear)
    else { return [] }
    return [
      "versions of \(app) begin with the year, so the policy \(policy.text) forces everyone each January; "
        + "to remind instead: pawl app set \(app) --policy remind,remind,none"
    ]
  }
}
