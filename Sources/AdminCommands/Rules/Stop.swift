import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct StopOptions: Sendable {
  var change = ChangeOptions()
  var app: String?
  var isAll = false
}

extension Command where Context == PawlContext {
  /// Silences an app, or all.
  static var stop: Command {
    command(
      "stop", true, summary: "Stop all prompts of an app, or of all apps",
      discussion: "The emergency switch: no prompts at all until 'resume'. Stopping never asks.",
      examples: [
        .init("pawl stop taxi --reason \"wrong URL\"", "one app"), .init("pawl stop --all", "every app"),
      ])
  }

  /// Lets an app, or all, speak again.
  static var resume: Command {
    command(
      "resume", false, summary: "Let an app, or all apps, prompt again",
      examples: [.init("pawl resume taxi --yes", "one app")])
  }

  private static func command(
    _ verb: String, _ isStopped: Bool, summary: String, discussion: String = "", examples: [Example]
  ) -> Command {
    Command(
      verb, summary: summary, discussion: discussion, examples: examples, section: "Rules",
      options: { StopOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app", required: false) { $0.app = $1 },
          .flag("--all", help: "Every app of the ledger") { $0.isAll = true },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      guard (options.app != nil) != options.isAll else {
        throw UsageError(
          id: "usage.missing-argument", message: "say either an APP or --all", hint: "see 'pawl help \(verb)'"
        )
      }
      var slugs: [String] = []
      return try Changing(options.change, call, context).run { draft in
        slugs = try options.app.map { [$0] } ?? draft.slugs()
        for slug in slugs { try draft.change(slug) { line in line.stop(isStopped) } }
      } answer: { draft in
        let apps = try slugs.map { try draft.line($0).app.json }
        var answer: [(String, JSON)] = [("apps", .array(apps))]
        if let only = apps.first, apps.count == 1 { answer.append(("app", only)) }
        return answer
      } text: { answer in
        let names = (answer["apps"]?.array ?? []).compactMap { $0["slug"]?.string }.joined(separator: ", ")
        let state = isStopped ? "stopped" : "running"
        guard answer["changed"]?.bool == true else { return "\(names): \(state) already.\n" }
        let undo = isStopped ? "resume" : "stop"
        return "\(names): \(state).\nnext: pawl \(undo) \(options.app ?? "--all")\n"
      }
    }
  }
}
