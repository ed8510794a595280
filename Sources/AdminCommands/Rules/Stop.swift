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
      ])
  }

  static var resume: Command {
    command(
      "resume", false, summary: "Let an app, or all apps, prompt again",
      examples: [.init("pawl resume taxi --yes", "one app")])
  }

  private static func command(
    _ verb: String, _ isStopped: Bool, summary: String, discussion: String = "", examples: [Example]
  ) -> Command {
    Command(
      verb, reach: .remote, summary: summary, discussion: discussion, examples: examples
    ) {
      (
        .optionalArgument("APP", .slug, help: "The app"),
        .flag("--all", help: "Every app in the ledger"), .change
      )
    } run: { context, app, isAll, change in
      try UsageError.demand(
        (app != nil) != isAll, "give either an APP or --all",
        hint: "see 'pawl help \(verb)'", id: "usage.missing-argument")
      var slugs: [String] = []
      var changing = Changing(change, context)
      changing.isUrgent = isStopped
      return try changing.run { draft in
        draft.readParts()
        slugs = try askedApps(app, else: draft.ledger.apps())
        if isStopped { try DocumentExport.outrun(&draft, slugs, context) }
        for slug in slugs { try draft.change(slug, command: verb) { line in line.stop(isStopped) } }
      } answer: { draft in
        let apps = try slugs.map { try draft.line($0).app }
        // Also under `app`, as in the answer of every other change.
        return [("apps", apps.json)] + (apps.count == 1 ? [("app", apps[0].json)] : [])
      } text: { answer in
        let apps: [App] = try answer.value("apps")
        let names = apps.map(\.slug).joined(separator: ", ")
        let shown = app.map { " \($0)" } ?? ""
        return Said(
          "\(names): \(isStopped ? "stopped" : "prompts are on again").\n",
          same: "\(names): \(isStopped ? "already stopped" : "prompts are already on")",
          next: isStopped
            ? "pawl history\(shown) --limit 5; once it is fixed, 'pawl resume \(app ?? "--all")'"
            : "pawl status\(shown)")
      }
    }
  }
}
