import CommandLineKit
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var publish: Command {
    .change(
      "publish", summary: "Record a new release, and preview what going live would change",
      discussion: """
        The release starts as 'prepared': clients are told nothing about it until it is live and its hold \
        is over. Versions only grow; a typo can be struck out with 'void'.
        """,
      examples: [
        .init("pawl publish taxi 7.4.0 --build 512 --note en=\"Faster start\"", "a version with its notes"),
        .init(
          "pawl publish taxi 8.0 --mandatory --min-os 17.0", "one that every older client must update to"),
      ]
    ) {
      (
        .app,
        .argument(
          "VERSION", .version.offering(.live(.nextVersion)),
          help: "The new version, greater than every recorded one"), .newReleaseDetails
      )
    } run: { changing, app, version, arguments in
      let (changing, files) = try arguments.covering(changing)
      return try changing.run { draft in
        try draft.readPart(of: app, around: version)
        let details = try arguments.details(of: app, &draft, files, changing.context)
        let now = draft.now
        try draft.change(app, "publish \(version.text)") { line, id throws(Refusal) in
          try line.publish(version, details, id: id, now: now)
        }
        let line = try draft.line(app)
        let release = line.release(version)
        return ReleaseText.outcome(
          of: version, line, at: now, unprompted: "Going live would prompt nobody, and change no prompt.\n",
          warnings: line.lostWarning(release) + ReleaseText.expired(release, now: now)
            + line.jumpWarning(version, after: line.newest(where: { $0.version < version })))
      }
    }
  }

  static var amend: Command {
    .change(
      "amend", summary: "Change a release's notes, build, minimum OS, URL, expiry or mandatory flag",
      examples: [.init("pawl amend taxi 7.4.0 --note de=\"Startet schneller\"", "add a language")]
    ) {
      (.app, .release, .releaseDetails)
    } run: { changing, app, version, arguments in
      let (changing, files) = try arguments.covering(changing)
      return try changing.run { draft in
        let details = try arguments.details(of: app, &draft, files, changing.context)
        try UsageError.demand(details != ReleaseDetails(), "usage.invalid/nothing")
        try draft.change(app, "amend \(version.text)") { line, _ throws(Refusal) in
          try line.amend(version, details)
        }
        let line = try draft.line(app)
        return ReleaseText.outcome(
          of: version, line, at: draft.now,
          warnings: line.release(version).map { arguments.warnings(of: $0, now: draft.now) } ?? [])
      }
    }
  }
}
