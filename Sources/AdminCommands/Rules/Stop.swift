import CommandLineKit
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var stop: Command {
    command(
      "stop", true, summary: "Stop all prompts of an app, or of all apps",
      discussion: "The emergency switch: no prompts at all until 'resume'. Stopping never asks.",
      examples: [
        .init("pawl stop taxi --reason \"wrong URL\"", "one app"), .init("pawl stop --all", "every app"),
        .init("pawl stop --all --take-over", "also where documents belong to another file of the ledger"),
      ],
      takesOver: .flag(
        "--take-over", help: "Silence documents that belong to another file of the ledger, too"))
  }

  static var resume: Command {
    command(
      "resume", false, summary: "Let an app, or all apps, prompt again",
      examples: [.init("pawl resume taxi --yes", "one app")])
  }

  private static func command(
    _ verb: String, _ isStopped: Bool, summary: String, discussion: String = "", examples: [HelpRow],
    takesOver: Parameter<Bool> = Parameter<Call>.call.map { _ in false }
  ) -> Command {
    .change(
      verb, summary: summary, discussion: discussion, examples: examples, options: .changeOfApps
    ) {
      (
        .optionalArgument("APP", .slug, help: "The app"),
        .flag("--all", help: "Every app in the ledger"), takesOver
      )
    } run: { changing, app, isAll, takesOver in
      try UsageError.demand((app != nil) != isAll, "usage.missing-argument/one", ["options": "APP and --all"])
      (changing.isUrgent, changing.silencesOthers) = (isStopped, takesOver)
      return try changing.run { draft in
        let slugs = try askedApps(app, else: draft.ledger.apps())
        if isStopped {
          try DocumentExport.outrun(&draft, slugs, changing.context, isAnyones: takesOver)
        }
        let ahead = isStopped ? try slugs.flatMap { try draft.snapshot($0).forcesAhead(at: draft.now) } : []
        for slug in slugs {
          try draft.refuseRetired(slug, verb)
          try draft.change(slug, command: verb) { line in line.set { $0.isStopped = isStopped } }
        }
        let apps = try slugs.map { try draft.line($0).app }
        let names = slugs.isEmpty ? "no app" : slugs.joined(separator: ", ")
        let shown = app.map { " \($0)" } ?? ""
        // Prompts that come back are stricter, which some ledgers want signed.
        let plan = draft.approvals > 0 ? " --plan FILE" : ""
        return Outcome(
          // Also under `app`, as in the answer of every other change.
          [("apps", apps.json)] + (apps.count == 1 ? [("app", apps[0].json)] : []),
          "\(names): \(isStopped ? "stopped" : "prompts are on again").\n"
            + (ahead.isEmpty ? "" : "Silent, too, until it is resumed: \(ahead.joined(separator: "; ")).\n"),
          same: "\(names): \(isStopped ? "already stopped" : "prompts are already on")",
          next: isStopped
            ? "'pawl probe \(app ?? "APP") -- curl -sf https://HOST/{}' asks your server; once it is fixed, 'pawl resume \(app ?? "--all")\(plan)'"
            : "pawl status\(shown)")
      }
    }
  }
}

extension Snapshot {
  /// The forces that are still to come, by a rule or as a hold ends, in words.
  fileprivate func forcesAhead(at now: Timestamp) -> [String] {
    // What has not begun, or takes over from a milder rule as that ends.
    let milder = line.rules.filter { $0.action != .force && $0.until != nil }
    let rules = line.rules.filter { rule in
      rule.action == .force && rule.until.map { now < $0 } ?? true
        && (rule.from.map { now < $0 } ?? false || milder.isOverlaid(rule, at: now))
    }
    let held = line.releases.filter { $0.isHeld(at: now) }
    let forced = held.isEmpty ? [] : forced(at: now)
    return rules.map { rule in
      "rule \(rule.number) of \(line.app.slug), force \(rule.range.text)\(rule.windowText)"
    }
      + held.compactMap { release in
        guard let end = release.visibleAt else { return nil }
        let ranges = self.forced(at: end)
        return ranges == forced || ranges.isEmpty
          ? nil
          : "\(line.app.slug) \(release.version.text), visible from \(end.text), would force "
            + ranges.map { $0.text { line.counted($0)?.version.text ?? $0.text } }.joined(separator: ", ")
      }
  }
}
