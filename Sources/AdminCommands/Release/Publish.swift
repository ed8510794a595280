import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  /// Records a new release.
  static var publish: Command {
    Command(
      "publish", summary: "Record a new release, and see what going live would change",
      discussion: """
        The release starts as 'prepared': clients are told nothing of it before it is live and its hold has run. \
        Versions only grow; a mistyped one can be struck out with 'void'.
        """,
      examples: [
        .init("pawl publish taxi 7.4.0 --build 512 --note en=\"Faster start\"", "a version with its notes"),
        .init("pawl publish taxi 8.0 --mandatory --min-os 17.0", "one that every older client must move to"),
      ],
      section: "Releases", options: { ReleaseOptions() },
      parameters: { ReleaseOptions.parameters(isNew: true) }
    ) { options, call, context in
      guard let version = options.version else { return .usage }
      let (changing, notes) = try options.changing(call, context)
      return try changing.run { draft in
        let details = try options.details(draft, notes: notes)
        let now = draft.now
        try draft.change(options.app, "publish \(version.text)") { line, id throws(LawViolation) in
          try line.publish(version, details, id: id, now: now)
        }
      } answer: { draft in
        let line = try draft.line(options.app)
        guard let release = line.release(version) else { return [] }
        let isLost = line.app.effectiveStoreURL == nil && release.url == nil
        return [
          ("warnings", isLost ? [.string(noURLWarning(options.app))] : []),
          ("release", release.json(app: options.app)),
          ("ifLive", try draft.impactOfGoingLive(options.app, version).json),
        ]
      } text: { answer in
        var text = ReleaseText.changed(answer, from: nil)
        guard answer["changed"]?.bool == true else { return text }
        let preview = Preview.text(answer["ifLive"]?.array ?? [], context)
        text += preview.isEmpty ? "Going live would change no answer.\n" : "\nIf it went live now." + preview
        text += (answer["warnings"]?.array ?? []).compactMap(\.string).map { "warning: \($0)\n" }.joined()
        return text + "next: pawl mark \(options.app) \(version.text) waiting\n"
      }
    }
  }

  /// Corrects what is said of a release.
  static var amend: Command {
    Command(
      "amend", summary: "Change notes, build, minimum OS, URL or mandatory of a release",
      examples: [.init("pawl amend taxi 7.4.0 --note de=\"Startet schneller\"", "add a language")],
      section: "Releases", options: { ReleaseOptions() },
      parameters: { ReleaseOptions.parameters(isNew: false) }
    ) { options, call, context in
      guard let version = options.version else { return .usage }
      let (changing, notes) = try options.changing(call, context)
      return try changing.run { draft in
        let details = try options.details(draft, notes: notes)
        guard details != ReleaseDetails() else {
          throw UsageError(message: "nothing to change was said", hint: "see 'pawl amend --help'")
        }
        try draft.change(options.app, "amend \(version.text)") { line, _ throws(LawViolation) in
          try line.amend(version, details)
        }
      } answer: { draft in
        let release = try draft.line(options.app).release(version)
        return [("release", release?.json(app: options.app) ?? .null)]
      } text: { answer in
        ReleaseText.changed(answer, from: nil)
      }
    }
  }
}
