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
      throw Refusal.noRelease(version, nearest: snapshot.line.nearest(to: version))
        .of("show \(version.text)", on: app)
    }
    self.release = release.of(snapshot.line.app)
    others = snapshot.line.struckOut.filter { $0.version == version && $0.id != release.id }
    var steps: [Step] = []
    try ledger.eachEvent(HistoryFilter(app: app, kind: "release", last: head)) { event in
      let (change, moved) = try event.decoded()
      if let step = ReleasePage.step(of: release, in: change, moved) {
        let reasons = try step.state == .rejected ? ledger.rejection(in: event) : []
        let at =
          switch change {
          // A release returns to its former state at the moment when the change is taken back.
          case .unmarked, .returned, .voided: try Timestamp(event.at)
          default: step.at
          }
        steps.append(Step(state: step.state, at: at, event: event, reasons: reasons))
      }
      switch change {
      case .published(let made), .imported(let made): return made.id != release.id
      default: return true
      }
    }
    self.steps = steps.reversed()
    told = CheckAnswer(Decider(snapshot, at: now), Client(version: release.version), head: head)
  }

  private static func step(
    of release: Release, in change: Change, _ moved: MovedRelease
  ) -> (state: ReleaseState, at: Timestamp)? {
    if case .amended = change { return nil }
    guard let after = change.release else { return nil }
    if after.id == release.id { return (after.state, after.since) }
    let state: ReleaseState? =
      moved.superseded == release.version.text
      ? .superseded : moved.restored == release.version.text ? .live : nil
    return state.map { ($0, after.since) }
  }

  var json: JSON {
    ["release": release.json, "states": .array(steps.map(\.json)), "told": told.json]
  }

  func text(_ context: PawlContext) -> String {
    let record = release.record
    let rows = steps.map { step in
      [
        Cell(step.state.rawValue, Paint.style(of: step.state)), Cell(context.text(step.at)),
        Cell(String(step.event.seq), .bold), Cell(Actor(step.event).text),
        Cell(step.event.evidence.map { String($0) } ?? "–"), Cell(step.event.reason ?? "", .dim),
      ]
    }
    let columns: [Column] = ["STATE", "AT", .right("EVENT"), "WHO", .right("EVIDENCE"), "REASON"]
    // A reason that someone gave is already in the table.
    let letters = steps.flatMap { step in step.reasons.filter { $0 != step.event.reason } }
    let rejections =
      letters.isEmpty ? "" : "\nRejected for:\n" + letters.map(indented).joined()
    let notes = record.notes.map { "\n\(FieldChange.language($0.locale)):\n" + indented($0.text) }
    let struckOut = others.map { other in
      "  (another \(other.version.text) was struck out: event \(other.event))\n"
    }.joined()
    return
      "\(release.app) \(record.version.text) is \(record.state.rawValue)\(record.isPast ? ", a past release" : "")\n"
      + ReleaseText.details(release, context.zone)
      + struckOut + "\n" + context.table(columns, rows) + rejections + notes.joined()
      + "\nWhat its clients are told now:\n"
      + told.text(context)
  }
}

/// Why a release was rejected, as far as the ledger knows: the guidelines that Apple's mail names, or else
/// the reason that someone gave.
extension Ledger {
  /// The rejected release that the board shows, by its number, with the reasons.
  func rejections(of line: AppState) throws -> [Int64: [String]] {
    guard let release = line.releases.last(where: { $0.state == .rejected }) else { return [:] }
    var reasons: [String] = []
    // Usually the last event that touched the release rejected it; otherwise something was amended since.
    try eachEvent(HistoryFilter(subject: "release/\(release.id)")) { event in
      let after = try event.change().release
      guard event.kind == EventKind.releaseMark.rawValue, after?.state == .rejected else { return true }
      reasons = try rejection(in: event)
      return false
    }
    return reasons.isEmpty ? [:] : [release.id: reasons]
  }

  func rejection(in event: EventRecord) throws -> [String] {
    if let number = event.evidence, let (evidence, body) = try? evidence(number), evidence.kind == .mail,
      let letter = body.flatMap(ReadableMail.init), !letter.guidelines.isEmpty
    {
      return letter.guidelines
    }
    return event.reason.map { [$0] } ?? []
  }
}
