import AppleIntake
import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var releases: Command {
    .query(
      "releases", isList: true,
      summary: "List the releases of an app, or of all, newest first",
      examples: [
        .init("pawl releases taxi", "every version on record"), .init("pawl releases", "those of every app"),
      ]
    ) {
      (
        .oneApp,
        .option("--limit", "N", .integer(1...Int.max), help: "At most this many of each app, the newest")
      )
    } run: { query, one, limit in
      let ledger = query.ledger
      let (apps, lines) = try ledger.snapshotting {
        let apps = try ledger.apps()
        return (apps, try askedApps(one, else: apps).map { try ledger.line($0) })
      }
      let listed = lines.map { ($0.app.slug, Array($0.newestFirst.prefix(limit ?? .max))) }
      let json = listed.map { slug, releases -> JSON in ["app": .string(slug), "releases": releases.json] }
      return try query.print(
        one == nil ? ["apps": .array(json)] : json.first ?? .null,
        Owned.table(listed.flatMap(\.1), isOfOneApp: one != nil, query.context.text),
        none: one.map { "\($0) has no releases yet.\nnext: pawl publish \($0) VERSION\n" }
          ?? (lines.isEmpty
            ? noApps(of: apps) : "There are no releases yet.\nnext: pawl publish APP VERSION\n"))
    }
  }
}

extension AppState {
  var newestFirst: [Owned<Release>] {
    everRecorded.sorted { ($1.version, $1.id) < ($0.version, $0.id) }.map { $0.of(app) }
  }
}

extension Owned<Release> {
  /// Releases as every list shows them.
  static func table(
    _ releases: [Owned], isOfOneApp: Bool, _ text: @escaping (Timestamp) -> String = { $0.text }
  ) -> Table {
    Table(
      of: releases,
      [
        (isOfOneApp ? "" : "APP", { Cell(isOfOneApp ? "" : $0.app, .bold) }),
        ("VERSION", { Cell($0.record.version.text, .bold) }),
        ("BUILD", { Cell($0.record.build?.text ?? "–") }),
        ("STATE", { Cell($0.record.state.rawValue, Paint.style(of: $0.record.state)) }),
        ("SINCE", { Cell(text($0.record.since)) }),
        ("VISIBLE FROM", { Cell($0.record.visibleAt.map(text) ?? "–") }),
        ("MIN OS", { Cell($0.record.minOS?.text ?? "–") }),
        (
          "",
          {
            let marks = [$0.record.isMandatory ? "mandatory" : nil, $0.record.isPast ? "past release" : nil]
            return Cell(marks.compactMap(\.self).joined(separator: ", "))
          }
        ),
      ])
  }
}

/// A state that a release reached.
private struct Step {
  let state: ReleaseState
  let at: Timestamp
  let event: EventRecord

  /// The step of a release that a change made; nil for none.
  init?(of release: Release, in event: EventRecord, _ change: Change, _ moved: MovedRelease) throws {
    if case .amended = change { return nil }
    guard let after = change.release else { return nil }
    if after.id == release.id {
      state = after.state
    } else if moved.superseded == release.version.text {
      state = .superseded
    } else if moved.restored == release.version.text {
      state = .live
    } else {
      return nil
    }
    switch change {
    // A release returns to its former state at the moment when the change is taken back.
    case .unmarked, .returned, .voided: at = try Timestamp(event.at)
    default: at = after.since
    }
    self.event = event
  }

  var json: JSON {
    [
      "state": .string(state.rawValue), "at": .string(at.text),
      "event": .integer(event.seq), "evidence": .optional(event.evidence),
    ]
  }
}

extension Query {
  /// Shows a release with the states that it reached, and what its clients are told.
  func show(_ app: String, _ version: Version) throws -> ExitCode {
    let (snapshot, now, head) = try ledger.snapshotting {
      (try ledger.snapshot(app), try ledger.now(clock: context.clock()), try ledger.head().seq)
    }
    let line = snapshot.line
    guard let release = line.release(version) else {
      throw Refusal.noRelease(version, nearest: line.nearest(to: version)).of("show \(version.text)", on: app)
    }
    var steps: [Step] = []
    try ledger.eachEvent(HistoryFilter(app: app, kind: "release", last: head)) { event in
      let (change, moved) = try event.decoded()
      if let step = try Step(of: release, in: event, change, moved) { steps.append(step) }
      return change.newRelease?.id != release.id
    }
    steps.reverse()
    let owned = release.of(line.app)
    let told = CheckAnswer(Decider(snapshot, at: now), Client(version: release.version), head: head)
    return try print(["release": owned.json, "states": .array(steps.map(\.json)), "told": told.json]) {
      let table = Table(
        of: steps,
        [
          ("STATE", { Cell($0.state.rawValue, Paint.style(of: $0.state)) }),
          ("AT", { Cell(context.text($0.at)) }), (.right("EVENT"), { Cell(String($0.event.seq), .bold) }),
          ("WHO", { Cell(Actor($0.event).text) }),
          (.right("EVIDENCE"), { Cell($0.event.evidence.map { String($0) } ?? "–") }),
          ("REASON", { Cell($0.event.reason ?? "", .dim) }),
        ])
      let notes = release.notes.map { "\n\(FieldChange.language($0.locale)):\n" + indented($0.text) }
      let struckOut = line.struckOut.filter { $0.version == version && $0.id != release.id }.map { other in
        "  (another \(other.version.text) was struck out: event \(other.event))\n"
      }
      let past = release.isPast ? ", a past release" : ""
      return "\(app) \(release.version.text) is \(release.state.rawValue)\(past)\n"
        + ReleaseText.details(owned, context.zone) + struckOut.joined() + "\n" + context.rendered(table)
        + notes.joined() + "\nWhat its clients are told now:\n" + told.text(context)
    }
  }
}
