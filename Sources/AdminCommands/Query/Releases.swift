import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var releases: Command {
    Command(
      "releases", reach: .remote, asks: true, summary: "List the releases of an app, or of all, newest first",
      examples: [
        .init("pawl releases taxi", "every version on record"), .init("pawl releases", "those of every app"),
      ], section: "Releases"
    ) {
      (.oneApp, .tabular)
    } run: { context, one, common in
      let ledger = try common.open(context)
      let lines = try ledger.snapshotting {
        try askedApps(one, else: ledger.apps()).map { try ledger.line($0) }
      }
      let listed = lines.map { line in
        (
          line.app.slug,
          line.releases.sorted { ($1.version, $1.id) < ($0.version, $0.id) }.map { $0.of(line.app.slug) }
        )
      }
      let json = listed.map { slug, releases -> JSON in ["app": .string(slug), "releases": releases.json] }
      return try common.print(one == nil ? ["apps": .array(json)] : json.first ?? .null, context) {
        guard listed.contains(where: { !$0.1.isEmpty }) else {
          return one.map { "\($0) has no releases yet.\nnext: pawl publish \($0) VERSION\n" }
            ?? (lines.isEmpty ? noApps : "There are no releases yet.\nnext: pawl publish APP VERSION\n")
        }
        let rows = listed.flatMap(\.1).map { owned in
          let release = owned.record
          let notes = (release.isMandatory ? ["mandatory"] : []) + (release.isPast ? ["past release"] : [])
          return [
            Cell(one == nil ? owned.app : "", .bold), Cell(release.version.text, .bold),
            Cell(release.build?.text ?? "–"), Cell(release.state.rawValue, Paint.style(of: release.state)),
            Cell(release.since.text), Cell(release.visibleAt?.text ?? "–"), Cell(release.minOS?.text ?? "–"),
            Cell(notes.joined(separator: ", ")),
          ]
        }
        let app: Column = one == nil ? "APP" : ""
        return context.table(
          [app, "VERSION", "BUILD", "STATE", "SINCE", "VISIBLE FROM", "MIN OS", ""], rows)
      }
    }
  }
}

struct ReleasePage {
  private struct Step {
    let state: ReleaseState
    let at: Timestamp
    let event: EventRecord
    let reasons: [String]

    var json: JSON {
      [
        "rejectedFor": .array(reasons.map(JSON.string)),
        "state": .string(state.rawValue), "at": .string(at.text), "event": .integer(event.seq),
        "evidence": .optional(event.evidence),
      ]
    }
  }

  private let release: Owned<Release>
  /// Other releases of the same version, which were struck out.
  private let others: [Release]
  /// The states that the release reached, oldest first.
  private let steps: [Step]
  private let told: CheckAnswer

  init(_ ledger: Ledger, _ app: String, _ version: Version, clock: Timestamp) throws {
    let (snapshot, now, head) = try ledger.snapshotting {
      (try ledger.snapshot(app), try ledger.now(clock: clock), try ledger.head().seq)
    }
    guard let release = snapshot.line.release(version) else {
      throw LedgerError.law(
        app: app, command: "show \(version.text)",
        .noRelease(version, nearest: snapshot.line.nearest(to: version)))
    }
    self.release = release.of(app)
    others = snapshot.line.releases.filter { $0.version == version && $0.id != release.id }
    var steps: [Step] = []
    try ledger.eachEvent(HistoryFilter(app: app, kind: "release", last: head)) { event in
      let change = try event.change()
      if let step = ReleasePage.step(of: release, in: change) {
        let reasons = try step.state == .rejected ? ledger.rejection(in: event) : []
        let at =
          switch change {
          // A release returns to its former state at the moment when the change is taken back.
          case .unmarked, .voided: try Timestamp(event.at)
          default: step.at
          }
        steps.append(Step(state: step.state, at: at, event: event, reasons: reasons))
      }
      switch change {
      case .published(let made), .imported(let made, _): return made.id != release.id
      default: return true
      }
    }
    self.steps = steps.reversed()
    let decider = Decider(snapshot, at: now)
    let client = Client(version: release.version)
    told = CheckAnswer(decider, snapshot, client, decider.decide(client), locale: nil, head: head)
  }

  private static func step(
    of release: Release, in change: Change
  ) -> (state: ReleaseState, at: Timestamp)? {
    switch change {
    case .published(let after), .imported(let after, _), .marked(_, let after, _), .unmarked(_, let after, _),
      .voided(_, let after, _, _):
      if after.id == release.id { return (after.state, after.since) }
    default: return nil
    }
    switch change {
    case .marked(_, let after, let other?), .imported(let after, let other?):
      return other == release.version ? (.superseded, after.since) : nil
    case .unmarked(_, let after, let other?), .voided(_, let after, _, let other?):
      return other == release.version ? (.live, after.since) : nil
    default: return nil
    }
  }

  var json: JSON {
    ["release": release.json, "states": .array(steps.map(\.json)), "told": told.json]
  }

  func text(_ zone: Zone, _ context: PawlContext) -> String {
    let record = release.record
    let rows = steps.map { step in
      [
        Cell(step.state.rawValue, Paint.style(of: step.state)), Cell(zone.text(step.at)),
        Cell(String(step.event.seq), .bold), Cell(Actor(step.event).text),
        Cell(step.event.evidence.map { String($0) } ?? "–"), Cell(step.event.reason ?? "", .dim),
      ]
    }
    let columns: [Column] = ["STATE", "AT", .right("EVENT"), "WHO", .right("EVIDENCE"), "REASON"]
    // A reason that somebody gave is already in the table.
    let letters = steps.flatMap { step in step.reasons.filter { $0 != step.event.reason } }
    let rejections =
      letters.isEmpty ? "" : "\nRejected for:\n" + letters.map { "  \(printable($0))\n" }.joined()
    let notes = record.notes.map { note in
      "\n\(note.locale):\n"
        + note.text.split(whereSeparator: \.isNewline).map { "  \(printable(String($0)))\n" }
        .joined()
    }
    let struckOut = others.map { other in
      "  (another \(other.version.text) was struck out: event \(other.event))\n"
    }.joined()
    return
      "\(release.app) \(record.version.text) is \(record.state.rawValue)\(record.isPast ? ", a past release" : "")\n"
      + ReleaseText.details(record)
      + struckOut + "\n" + context.table(columns, rows) + rejections + notes.joined()
      + "\nWhat its clients are told now:\n"
      + told.text(styles: context.hasStyles)
  }
}
