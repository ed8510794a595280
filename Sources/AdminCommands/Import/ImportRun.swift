import CommandLineKit
import Intake
import JSON
import Ledger
import ReleaseModel

/// What to do with the lines that the laws allow or refuse.
enum ImportMode {
  case whole
  case skippingRefused
  /// Versions that cannot go live become past releases.
  case past
}

/// What becomes of the lines of a file: the answer of `import`.
struct Import {
  let app: String
  let mode: ImportMode
  let channel: Channel
  var imported: Int64 = 0
  var past: Int64 = 0
  private(set) var skipped: Int64 = 0
  /// In the order of lines, except that lines in the way of many others come first.
  private(set) var refused: [RefusedLine] = []
  /// Warnings about the file as a whole, about lines in the way of many others, and about versions that look mistyped.
  private(set) var warnings: [String]
  /// The lines taken that went live, by version.
  var taken: [Version: PastRelease] = [:]
  /// The lines taken that are past releases now.
  private var pastNow: Set<Version> = []
  /// Whether App Store Connect lists the lines: its dates are not those of releases, so they go by version.
  var isListed = false
  /// The version that the store serves, which no one knows since when.
  var onSale: Version?
  /// When the newest release so far went live.
  var latest: Timestamp?
  var raised = 0
  /// What someone should know who reads the answer.
  private(set) var notes: [String] = []
  /// For each version, how many lines it keeps from going live; two are many.
  private var blocked: [Version: Int] = [:]
  /// The lines that repeat a version of the file, but differ from the line that was taken.
  private var repeated: [PastRelease] = []

  init(app: String, mode: ImportMode, channel: Channel, _ warnings: [String]) {
    (self.app, self.mode, self.channel, self.warnings) = (app, mode, channel, warnings)
  }

  mutating func take(_ lines: PastFile.Lines, _ draft: inout ChangeSet, _ work: LongWork) throws {
    var sorted: [PastRelease] = []
    for line in lines {
      switch line {
      case .success(let release): sorted.append(release)
      case .failure(let line): refused.append(line)
      }
    }
    isListed = sorted.contains { $0.state != nil }
    sorted.sort {
      isListed ? $0.version < $1.version : ($0.releasedAt, $0.version) < ($1.releasedAt, $1.version)
    }
    onSale = sorted.last { $0.state == .live }?.version
    if isListed { latest = try draft.line(app).latestLive }
    let first = firstOfEach(sorted)
    for (index, line) in sorted.enumerated() {
      try work.step("taking lines", index, of: sorted.count)
      // Of two equal versions one is taken; the other counts as recorded already.
      if mode == .past, let kept = first[line.version], kept != index {
        skipped += 1
        let taken = sorted[kept]
        if taken.releasedAt != line.releasedAt || !taken.version.isSpelled(like: line.version) {
          repeated.append(line)
        }
        continue
      }
      try take(line, &draft)
    }
    if let last = sorted.last, pastNow.contains(last.version) {
      let greater = try draft.line(app).newest(where: { last.version < $0.version })
      warnings.append(
        "line \(last.line): \(last.version.text), the newest by time, is a past release now"
          + (greater.map { ", since \($0.text) is greater" } ?? "")
          + "; 'pawl next' goes on above \(max(last.version, greater ?? .zero).text)")
    }
    refused.sort { $0.line < $1.line }
    if !repeated.isEmpty {
      repeated.sort { $0.line < $1.line }
      let first = repeated.prefix(5).map { "\($0.line) (\(printable($0.versionText, limit: 40)))" }.joined(
        separator: ", ")
      warnings.append(
        "\(grouped(repeated.count)) \(repeated.count == 1 ? "line repeats" : "lines repeat") a version of the file "
          + "in another spelling or with another time, and another line was taken: \(first)"
          + (repeated.count > 5 ? ", …" : ""))
    }
    name()
    let line = try draft.line(app)
    notes = (isListed ? listedNotes(line) : []) + yearNotes(line.app.policy)
  }

  /// The refusals of a version because a greater one is recorded.
  private static let isBlocked: Set = ["version.not-greater/typo", "version.not-greater/uploaded"]

  /// The index of the line that `--past` takes for each version: the first, or the first that can go live.
  private func firstOfEach(_ sorted: [PastRelease]) -> [Version: Int] {
    Dictionary(sorted.indices.map { (sorted[$0].version, $0) }) { known, next in
      isBesideTheLine(sorted[known].version) && !isBesideTheLine(sorted[next].version) ? next : known
    }
  }

  /// Whether the version has more components than the store takes, so that it can only be a past release.
  private func isBesideTheLine(_ version: Version) -> Bool { version.count > channel.versionComponents }

  private mutating func take(_ line: PastRelease, _ draft: inout ChangeSet) throws {
    let (version, now) = (line.version, draft.now)
    func refuse(id: String, _ message: String) {
      refused.append(RefusedLine(line.line, line.versionText, id: id, message))
    }
    if line.state != nil, try draft.line(app).counted(version) != nil {
      // What App Store Connect says of a recorded release is for `ingest asc`.
      skipped += 1
      return
    }
    guard line.details.notes.allSatisfy(\.text.isPlain) else {
      return refuse(id: "text.control-character", "its notes hold a control character")
    }
    var newest: Version?
    var change: Change?
    do {
      guard line.wasReleased else {
        try publish(line, &draft)
        imported += 1
        return
      }
      _ = try draft.change(app, "import \(version.text)") { releases, id throws(Refusal) in
        newest = releases.newest?.version
        let isLower = newest.map { version <= $0 } ?? false
        if mode == .past, isLower || isBesideTheLine(version) {
          // A release recorded with this number stays: it can go live, or is a past release too.
          if releases.counted(version) != nil { return nil }
          change = try releases.recordPast(
            version, line.details, releasedAt: line.releasedAt, id: id, now: now)
        } else {
          let releasedAt = max(line.releasedAt, latest ?? line.releasedAt)
          change = try releases.importPast(
            version, line.details, releasedAt: releasedAt, id: id, now: now, isHeld: version == onSale)
          if isListed { (latest, raised) = (releasedAt, raised + (line.releasedAt < releasedAt ? 1 : 0)) }
        }
        return change
      }
      if line.state == .removed, case .imported(let release)? = change, !release.isPast {
        try mark(line, &draft)
      }
    } catch let refusal as Refusal {
      var message = report(refusal).message
      if Import.isBlocked.contains(refusal.key),
        let known = refusal.values["known"].flatMap({ try? Version($0) })
      {
        if let blocking = taken[known] {
          message = "not greater than \(known.text), line \(blocking.line)"
        }
        blocked[known, default: 0] += 1
      }
      return refuse(id: refusal.id, message)
    }
    guard case .imported(let release)? = change else {
      skipped += 1
      return
    }
    imported += 1
    if release.isPast {
      past += 1
      pastNow.insert(version)
      if let newest, version < newest, !isBesideTheLine(version) { blocked[newest, default: 0] += 1 }
      return
    }
    taken[version] = line
    if let newest, version.isJump(from: newest) {
      warnings.append(
        "line \(line.line): \(version.text) is far above \(newest.text), the version before it; check for a typo"
      )
    }
  }

  /// Reports first the lines that are in the way of many others.
  private mutating func name() {
    let lines = linesInTheWay.map { ($0.line, grouped($0.count)) }
    if mode == .whole {
      refused =
        lines.map { line, count in
          RefusedLine(
            line.line, line.versionText, id: "import.in-the-way",
            "\(line.version.text) is greater than \(count) versions released after it")
        } + refused
    } else {
      let outcome = mode == .past ? "are past releases now" : "were refused"
      warnings =
        lines.map { line, count in
          "line \(line.line): \(line.version.text) is greater than \(count) versions released after it, which \(outcome)"
            + "; if \(neverHad(app, line.version))"
        } + warnings
    }
  }

  /// The lines in the way of many others, starting with the one in the way of most.
  private var linesInTheWay: [(line: PastRelease, count: Int)] {
    taken.values.map { (line: $0, count: blocked[$0.version] ?? 0) }.filter { $0.count >= 2 }.sorted {
      ($1.count, $0.line.line) < ($0.count, $1.line.line)
    }
  }

  func outcome(isDryRun: Bool, _ context: PawlContext) -> Outcome {
    var text = refusedTable(context)
    text +=
      "\(isDryRun ? "Would import" : "Imported") \(imported) \(imported == 1 ? "release" : "releases") into \(app)"
    if past > 0 { text += " (\(past) past)" }
    if skipped > 0 { text += "; skipped \(skipped) already recorded" }
    if !refused.isEmpty { text += "; refused \(refused.count)" }
    return Outcome(
      members + [("notes", notes.json)], text + ".\n" + notes.map { "note: \($0)\n" }.joined(),
      next: "pawl status \(app)", warnings: warnings)
  }

  var members: Outcome.Members {
    [
      ("imported", imported.json), ("past", past.json), ("skipped", skipped.json), ("refused", refused.json),
    ]
  }

  func refusedTable(_ context: PawlContext) -> String {
    guard !refused.isEmpty else { return "" }
    // Of the lines that one other line is in the way of, the first stands for all; --json has each.
    let folded = Dictionary(
      grouping: refused.filter { $0.id == "version.not-greater" }, by: \.reason)
    let rows: [[Cell]] = refused.compactMap { line in
      guard let alike = folded[line.reason], alike.count > 2, line.id == alike[0].id else {
        return [Cell(String(line.line)), Cell(line.version), Cell(line.reason)]
      }
      guard alike[0].line == line.line else { return nil }
      return [
        Cell(String(line.line)), Cell(line.version), Cell("\(line.reason); so are \(alike.count - 1) more"),
      ]
    }
    return context.table([.right("LINE"), "VERSION", "REFUSED BECAUSE"], rows) + "\n"
  }

  /// Reports the refusal of the whole file, never with the hint to skip the lines that a mistyped line blocks: that line
  /// would go live.
  func failure(of count: Int, _ file: String) -> CommandFailure {
    let details: JSON = ["refused": .integer(Int64(refused.count))]
    if let worst = linesInTheWay.first, mode == .whole {
      return CommandFailure(
        "import.refused/blocks",
        [
          "file": file, "line": String(worst.line.line), "version": worst.line.version.text,
          "count": grouped(worst.count),
        ], details: details)
    }
    let recorded = blocked.filter { taken[$0.key] == nil }
    if let worst = recorded.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }), worst.value >= 2,
      mode != .past
    {
      return CommandFailure(
        "import.refused/recorded",
        [
          "file": file, "count": String(count), "app": app, "version": worst.key.text,
          "blocked": grouped(worst.value),
        ], details: details)
    }
    let hints = Set(refused.compactMap(hint(for:))).sorted()
    return CommandFailure(
      "import.refused", ["file": file, "count": String(count)], details: details,
      hint: hints.isEmpty ? nil : hints.joined(separator: "; "))
  }

  /// What helps with a refused line, other than correcting it.
  private func hint(for line: RefusedLine) -> String? {
    switch line.id {
    case "time.malformed": return "write days that exist, such as 2026-02-01 or 2026-02-01T09:00:00Z"
    case "time.future": return "leave out releases that are still to come; 'pawl publish' records them"
    case "version.malformed" where mode != .past && (try? Version(line.version)) != nil:
      return "versions with four numbers: add --past"
    case "version.not-greater" where mode != .past:
      return mode == .whole
        ? "versions out of order: add --past to record them as past releases, or --skip-refused to leave them out"
        : "versions out of order: use --past in place of --skip-refused"
    default: return nil
    }
  }
}

/// How to strike out a release that Apple never had, worded to follow "if".
private func neverHad(_ app: String, _ version: Version) -> String {
  "\(version.text) was never uploaded to App Store Connect: pawl void \(app) \(version.text) --never-shipped --reason \"…\""
}
