import Export
import Mirror
import ReleaseModel

/// (f) A take-over shows what changes for clients, and nothing else: of documents in each format, and of mirrors of each
/// kind, with another state of the family in them.
struct TakeOverWalk {
  private let family: Family
  private let snapshots: (there: Snapshot, here: Snapshot)
  private(set) var broken: [String] = []
  private(set) var shown = 0

  init(_ family: Family, _ there: Snapshot, _ here: Snapshot) {
    (self.family, snapshots) = (family, (there, here))
  }

  mutating func walk() {
    let (there, here) = (answers(snapshots.there), answers(snapshots.here))
    for format in ExportFormats.all {
      let (old, new) = (files(format, there), files(format, here))
      let pairs = format.replacements(of: old, by: here, app: "taxi", from: now)
      // Who knows all comes first.
      let readers = format.clients(of: old, app: "taxi", at: now)
      let places = readers.indices.sorted { readers[$0].isExact && !readers[$1].isExact }
      for (place, pair) in zip(places, pairs) {
        let compared = ComparedCase(pair.after.differences(from: pair.before, since: now), of: snapshots.here)
        let lines = Impact(compared) { _, _ in 0 }.lines
        for moment in readers[place].isExact ? family.moments : [now] {
          let clients = [old, new].map { format.clients(of: $0, app: "taxi", at: moment)[place] }
          for version in family.clients {
            let told = clients.map { $0.conclude(version) }
            for os in family.systems {
              let (was, willBe) = (told[0](os) ?? Prompt(.none), told[1](os) ?? Prompt(.none))
              let says = lines.filter { line in
                line.range.contains(version) && line.at <= moment && line.until.map { moment < $0 } ?? true
                  && os.map(line.systems.contains) ?? (line.systems.upper == nil)
              }
              shown += says.count
              let isRight =
                was == willBe
                ? says.isEmpty
                : says.count == 1 && says[0].before == was.action && says[0].after == willBe.action
                  && says[0].was?.url == was.url && says[0].willBe?.url == willBe.url
              if !isRight {
                broken.append(
                  "(f) \(format.name), \(version.text) on \(os?.text ?? "any"): \(was) → \(willBe), shown \(says)"
                )
              }
            }
          }
        }
      }
    }
    let schedule = Schedule(snapshots.there, from: now)
    let exact = ExportFormats.all[0].clients(of: files(ExportFormats.all[0], there), app: "taxi", at: now)
      .compactMap(\.schedule).first
    for kind in MirrorKind.allCases {
      let app = MirroredApp(schedule, ledger: "", file: "", generation: 1, hash: "")
      let read = Schedule("taxi", lines: kind.store.lines(of: app))
      if let read, let exact, read.saysTheSame(as: exact, since: now) { continue }
      broken.append("(f) the rows of a \(kind.rawValue) mirror are read otherwise than the document")
    }
  }

  private func answers(_ snapshot: Snapshot) -> AppAnswers {
    AppAnswers(
      snapshot, Schedule(snapshot, from: now), at: now, generation: 1, hash: "", ledger: "",
      includesUnreleased: false)
  }

  private func files(_ format: any DocumentFormat, _ answers: AppAnswers) -> [String: [UInt8]] {
    Dictionary(answers.made(as: format).documents.map { ($0.path, $0.bytes) }, uniquingKeysWith: { $1 })
  }
}
