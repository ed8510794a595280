import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// The answer of `stop` and `resume`.
private struct StopAnswer {
  let apps: [App]
}

extension StopAnswer: Answer {
  init(answer json: JSON) throws(UnreadableAnswer) { self = try StopAnswer(apps: json.value("apps")) }

  var members: [(String, JSON)] {
    // Also under `app`, as in the answer of every other change.
    [("apps", apps.json)] + (apps.count == 1 ? apps.map { ("app", $0.json) } : [])
  }
}

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
      verb, reach: .remote, summary: summary, discussion: discussion, examples: examples,
      section: isStopped ? "First month" : "Rules"
    ) {
      (
        .optionalArgument("APP", .slug, help: "The app"),
        .flag("--all", help: "Every app in the ledger"), .change
      )
    } run: { context, app, isAll, change in
      guard (app != nil) != isAll else {
        throw UsageError(
          id: "usage.missing-argument", message: "give either an APP or --all",
          hint: "see 'pawl help \(verb)'"
        )
      }
      var slugs: [String] = []
      var changing = Changing(change, context)
      changing.isUrgent = isStopped
      return try changing.run { draft in
        draft.readParts()
        slugs = try askedApps(app, else: draft.apps())
        if isStopped { try DocumentExport.outrun(&draft, slugs, context) }
        for slug in slugs { try draft.change(slug, command: verb) { line in line.stop(isStopped) } }
      } answer: { draft in
        StopAnswer(apps: try slugs.map { try draft.line($0).app })
      } text: { answer, outcome in
        let names = answer.apps.map(\.slug).joined(separator: ", ")
        guard outcome.isChanged else {
          return Said(
            "\(names): \(isStopped ? "already stopped" : "prompts are already on"); nothing to record.\n")
        }
        let shown = app.map { " \($0)" } ?? ""
        return Said(
          "\(names): \(isStopped ? "stopped" : "prompts are on again").\n",
          next: isStopped
            ? "pawl history\(shown) --limit 5; once it is fixed, 'pawl resume \(app ?? "--all")'"
            : "pawl status\(shown)")
      }
    }
  }
}
