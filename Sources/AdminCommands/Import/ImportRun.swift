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
  /// What someone should know who reads the answer.
  private(set) var notes: [String] = []
  /// The lines taken that went live, by version.
  private var taken: [Version: PastRelease] = [:]
  /// The lines taken that are past releases now.
  private var pastNow: Set<Version> = []
  /// For each version, how many lines it keeps from going live; two are many.
  private var blocked: [Version: Int] = [:]

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
    // What App Store Connect lists goes by version, since its dates are not those of releases.
    let isListed = sorted.contains { $0.state != nil }
    sorted.sort {
      isListed ? $0.version < $1.version : ($0.releasedAt, $0.version) < ($1.releasedAt, $1.version)
    }
    let raised = isListed ? Import.raise(&sorted, above: try draft.line(app)) : 0
    // The version that the store serves, which no one knows since when.
    let onSale = sorted.last { $0.state == .live }?.version
    // Of two equal versions the first that can go live is taken; the other counts as recorded already.
    let first = Dictionary(sorted.indices.map { (sorted[$0].version, $0) }) { known, next in
      isBesideTheLine(sorted[known].version) && !isBesideTheLine(sorted[next].version) ? next : known
    }
    for (index, line) in sorted.enumerated() where mode != .past || first[line.version] == index {
      try work.step()
      if line.state == .superseded, let onSale, onSale < line.version {
        refuse(
          line, id: "import.above-on-sale", "it was replaced by \(onSale.text), which is lower and on sale")
        continue
      }
      try take(line, isHeld: line.version == onSale, &draft)
    }
    if mode == .past { skipped += Int64(sorted.count - first.count) }
    let app = try draft.line(app)
    if let last = sorted.last, pastNow.contains(last.version),
      app.releases.allSatisfy({ $0.liveAt.map { $0 <= last.releasedAt } ?? true })
    {
      let greater = app.newest { last.version < $0.version }
      warnings.append(
        "line \(last.line): \(last.version.text), the newest by time, is a past release now"
          + (greater.map { ", since \($0.text) is greater" } ?? "")
          + "; 'pawl next' goes on above \(max(last.version, greater ?? .zero).text)")
    }
    refused.sort { $0.line < $1.line }
    nameLinesInTheWay()
    if isListed, imported > 0 {
      notes.append("App Store Connect's dates say when a version was created there, not when it went on sale")
      if raised > 0 {
        notes.append(
          "\(grouped(raised, "date")) \(raised == 1 ? "was" : "were") before that of the version below, "
            + "and raised to it")
      }
      if let onSale, taken[onSale] != nil, let visibleAt = app.counted(onSale)?.visibleAt {
        notes.append("\(onSale.text) is on sale, and clients are told of it from \(visibleAt.text) on")
      }
    }
    noteYears(app.app.policy)
  }

  /// Raises dates that are before that of the version below, and returns how many.
  private static func raise(_ lines: inout [PastRelease], above line: AppState) -> Int {
    var latest = line.latestLive ?? .distantPast
    var raised = 0
    for index in lines.indices where lines[index].wasReleased && line.counted(lines[index].version) == nil {
      raised += lines[index].releasedAt < latest ? 1 : 0
      latest = max(lines[index].releasedAt, latest)
      lines[index].releasedAt = latest
    }
    return raised
  }

  /// Whether the version has more components than the store takes, so that it can only be a past release.
  private func isBesideTheLine(_ version: Version) -> Bool { version.count > channel.versionComponents }

  /// - Parameter isHeld: Whether it is visible only after a hold from now.
  private mutating func take(_ line: PastRelease, isHeld: Bool, _ draft: inout ChangeSet) throws {
    let (version, now) = (line.version, draft.now)
    if line.state != nil, try draft.line(app).counted(version) != nil {
      // What App Store Connect says of a recorded release is for `ingest asc`.
      skipped += 1
      return
    }
    guard line.details.notes.allSatisfy(\.text.isPlain) else {
      return refuse(line, id: "text.control-character", "its notes hold a control character")
    }
    var newest: Version?
    var change: Change?
    do {
      try draft.change(app, "import \(version.text)") { releases, id throws(Refusal) in
        newest = releases.newest?.version
        let isLower = newest.map { version <= $0 } ?? false
        if !line.wasReleased {
          change = try releases.publish(version, line.details, id: id, now: now)
        } else if mode == .past, isLower || isBesideTheLine(version) {
          // A release recorded with this number stays: it can go live, or is a past release too.
          guard releases.counted(version) == nil else { return nil }
          change = try releases.recordPast(
            version, line.details, releasedAt: line.releasedAt, id: id, now: now)
        } else {
          change = try releases.importPast(
            version, line.details, releasedAt: line.releasedAt, id: id, now: now, isHeld: isHeld)
        }
        return change
      }
      let isPast = change?.release?.isPast ?? false
      if let state = line.state, change != nil, !isPast,
        state == .removed || !line.wasReleased && state != .prepared
      {
        try draft.change(app, "import \(version.text)") { releases, _ throws(Refusal) in
          try releases.mark(version, state, at: nil, isVisibleNow: false, now: now)
        }
      }
    } catch let refusal as Refusal {
      var message = report(refusal).message
      if Import.isBlocked.contains(refusal.key),
        let known = refusal.values["known"].flatMap({ try? Version($0) })
      {
        if let blocking = taken[known] { message = "not greater than \(known.text), line \(blocking.line)" }
        blocked[known, default: 0] += 1
      }
      return refuse(line, id: refusal.id, message)
    }
    guard let change else {
      skipped += 1
      return
    }
    imported += 1
    guard line.wasReleased else { return }
    if change.release?.isPast == true {
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

  /// The refusals of a version because a greater one is recorded.
  private static let isBlocked: Set = ["version.not-greater/typo", "version.not-greater/uploaded"]

  private mutating func refuse(_ line: PastRelease, id: String, _ message: String) {
    refused.append(RefusedLine(line.line, line.versionText, id: id, message))
  }

  // MARK: - What someone should know

  /// Says how to choose another policy where versions begin with their year, so that each January would force everyone.
  private mutating func noteYears(_ policy: SegmentPolicy) {
    let newest = taken.values.sorted { $1.version < $0.version }.prefix(24)
    func isYear(_ line: PastRelease) -> Bool {
      let year = Int64(line.releasedAt.text.prefix(4)) ?? 0
      return [year, year % 100].contains(line.version.component(0))
    }
    let isFull = newest.first.map { (2000..<2100).contains($0.version.component(0)) } ?? false
    guard policy.actions.first == .force,
      isFull || Set(newest.map { $0.version.component(0) }).count > 1 && newest.allSatisfy(isYear)
    else { return }
    notes.append(
      "versions of \(app) begin with the year, so the policy \(policy.text) forces everyone each January; "
        + "to remind instead: pawl app set \(app) --policy remind,remind,none")
  }

  /// Reports first the lines that are in the way of many others.
  private mutating func nameLinesInTheWay() {
    if mode == .whole {
      refused =
        linesInTheWay.map { line, count in
          RefusedLine(
            line.line, line.versionText, id: "import.in-the-way",
            "\(line.version.text) is greater than \(grouped(count)) versions released after it")
        } + refused
    } else {
      let outcome = mode == .past ? "are past releases now" : "were refused"
      warnings =
        linesInTheWay.map { line, count in
          let version = line.version.text
          return
            "line \(line.line): \(version) is greater than \(grouped(count)) versions released after it, which \(outcome); if "
            + "\(version) was never uploaded to App Store Connect: pawl void \(app) \(version) --never-shipped --reason \"…\""
        } + warnings
    }
  }

  /// The lines in the way of many others, starting with the one in the way of most.
  private var linesInTheWay: [(line: PastRelease, count: Int)] {
    taken.values.map { (line: $0, count: blocked[$0.version] ?? 0) }.filter { $0.count >= 2 }.sorted {
      ($1.count, $0.line.line) < ($0.count, $1.line.line)
    }
  }

  /// Reports the refusal of the whole file, never with the hint to skip the lines that a mistyped line blocks: that line
  /// would go live.
  func failure(of count: Int, _ file: String) -> CommandFailure {
    let worst = mode == .whole ? linesInTheWay.first : nil
    let recorded = blocked.filter { mode != .past && taken[$0.key] == nil && $0.value >= 2 }
      .max { ($0.value, $0.key) < ($1.value, $1.key) }
    let isOutOfOrder = mode != .past && refused.contains { $0.id == "version.not-greater" }
    let key =
      worst != nil
      ? "import.refused/blocks"
      : recorded != nil
        ? "import.refused/recorded" : isOutOfOrder ? "import.refused/out-of-order" : "import.refused"
    return CommandFailure(
      key,
      [
        "app": app, "blocked": grouped(worst?.count ?? recorded?.value ?? 0), "count": String(count),
        "file": file, "line": String(worst?.line.line ?? 0),
        "version": (worst?.line.version ?? recorded?.key ?? .zero).text,
      ], details: ["refused": .integer(Int64(refused.count))])
  }

  // MARK: - The answer

  func outcome(isDryRun: Bool, _ context: PawlContext) -> Outcome {
    let rest = [
      past > 0 ? " (\(past) past)" : "", skipped > 0 ? "; skipped \(skipped) already recorded" : "",
      refused.isEmpty ? "" : "; refused \(refused.count)",
    ].joined()
    return Outcome(
      members + [("notes", notes.json)],
      refusedTable(context) + "\(isDryRun ? "Would import" : "Imported") \(imported) "
        + "\(imported == 1 ? "release" : "releases") into \(app)\(rest).\n"
        + notes.map { "note: \($0)\n" }.joined(),
      next: "pawl status \(app)", warnings: warnings)
  }

  /// The answer of an import of which nothing was recorded.
  func unrecorded(_ head: Head) -> JSON {
    var nothing = self
    (nothing.imported, nothing.past) = (0, 0)
    return (["changed": false, "event": .null, "head": head.json, "impact": []] as JSON).adding(
      .object(JSON.Object(nothing.members + [("notes", notes.json), ("warnings", warnings.json)])))
  }

  private var members: Outcome.Members {
    [
      ("imported", imported.json), ("past", past.json), ("skipped", skipped.json), ("refused", refused.json),
    ]
  }

  func refusedTable(_ context: PawlContext) -> String {
    guard !refused.isEmpty else { return "" }
    // Of the lines that one other line is in the way of, the first stands for all; --json has each.
    let folded = Dictionary(grouping: refused.filter { $0.id == "version.not-greater" }, by: \.reason)
      .filter { $0.value.count > 2 }
    let rows = refused.compactMap { line -> [Cell]? in
      let alike = line.id == "version.not-greater" ? folded[line.reason] : nil
      guard alike.map({ $0[0].line == line.line }) ?? true else { return nil }
      let others = alike.map { "; so are \($0.count - 1) more" } ?? ""
      return [Cell(String(line.line)), Cell(line.version), Cell(line.reason + others)]
    }
    return context.table([.right("LINE"), "VERSION", "REFUSED BECAUSE"], rows) + "\n"
  }
}
