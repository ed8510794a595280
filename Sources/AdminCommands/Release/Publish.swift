import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// The answer of `publish`.
private struct PublishAnswer {
  let release: Owned<Release>?
  let channel: Channel?
  let ifLive: [PreviewLine]
  /// Whether marking the release live would ask for agreement, as things are now.
  let ifLiveAsks: Bool
  let warnings: [String]

  private static let asks =
    "Marking it live will ask for your agreement, since clients would be forced to update; in a script, add --yes.\n"

  func said(_ isChanged: Bool, _ context: PawlContext) -> Said {
    let done = ReleaseText.changed(release, isChanged: isChanged)
    guard isChanged, let release else { return Said(done) }
    let preview = Preview.text(ifLive, context, title: "What clients would be told if it went live now:")
    return Said(
      done
        + (preview.isEmpty
          ? "Going live would change nothing for clients.\n" : preview)
        + (ifLiveAsks ? PublishAnswer.asks : ""),
      next: ReleaseText.next(release, on: channel, isHeld: false))
  }
}

extension PublishAnswer: Answer {
  init(answer json: JSON) throws(UnreadableAnswer) {
    self = try PublishAnswer(
      release: json.value("release"), channel: json.value("channel"), ifLive: json.value("ifLive"),
      ifLiveAsks: json.value("ifLiveAsks"), warnings: json.value("warnings"))
  }

  var members: [(String, JSON)] {
    [
      ("release", release.json), ("channel", channel.json), ("ifLive", ifLive.json),
      ("ifLiveAsks", ifLiveAsks.json), ("warnings", warnings.json),
    ]
  }
}

/// The answer of `amend`.
private struct AmendAnswer {
  let release: Owned<Release>?
  let warnings: [String]
}

extension AmendAnswer: Answer {
  init(answer json: JSON) throws(UnreadableAnswer) {
    self = try AmendAnswer(release: json.value("release"), warnings: json.value("warnings"))
  }

  var members: [(String, JSON)] { [("release", release.json), ("warnings", warnings.json)] }
}

extension Command where Context == PawlContext {
  /// Records a new release.
  static var publish: Command {
    Command(
      "publish", reach: .remote, summary: "Record a new release, and preview what going live would change",
      discussion: """
        The release starts as 'prepared': clients are told nothing about it until it is live and its hold \
        is over. Versions only grow; a typo can be struck out with 'void'.
        """,
      examples: [
        .init("pawl publish taxi 7.4.0 --build 512 --note en=\"Faster start\"", "a version with its notes"),
        .init(
          "pawl publish taxi 8.0 --mandatory --min-os 17.0", "one that every older client must update to"),
      ],
      section: "First month"
    ) {
      (
        .app,
        .argument(
          "VERSION", .version.offering(.live(.nextVersion)),
          help: "The new version, greater than every recorded one"), .newReleaseDetails, .change
      )
    } run: { context, app, version, arguments, change in
      let (changing, files) = try arguments.changing(change, context)
      return try changing.run { draft in
        let details = try arguments.details(draft, files, context)
        let now = draft.now
        try draft.readPart(of: app, around: version)
        try draft.change(app, "publish \(version.text)") { line, id throws(LawViolation) in
          try line.publish(version, details, id: id, now: now)
        }
      } answer: { draft in
        let line = try draft.line(app)
        let release = line.release(version)
        let isLost = line.app.effectiveStoreURL == nil && release?.url == nil
        let ifLive = try draft.impactOfGoingLive(app, version)
        return PublishAnswer(
          release: release?.of(app), channel: line.app.channel, ifLive: ifLive.preview,
          ifLiveAsks: ifLive.forces,
          warnings: (isLost ? [ReleaseText.noURL(line.app)] : [])
            + ReleaseText.expired(release, now: draft.now)
            + line.jumpWarning(version, after: line.newest(where: { $0.version < version })))
      } text: { answer, outcome in
        answer.said(outcome.isChanged, context)
      }
    }
  }

  /// Changes the details of a release.
  static var amend: Command {
    Command(
      "amend", reach: .remote,
      summary: "Change a release's notes, build, minimum OS, URL, expiry or mandatory flag",
      examples: [.init("pawl amend taxi 7.4.0 --note de=\"Startet schneller\"", "add a language")],
      section: "Releases"
    ) {
      (.app, .release, .releaseDetails, .change)
    } run: { context, app, version, arguments, change in
      let (changing, files) = try arguments.changing(change, context)
      return try changing.run { draft in
        let details = try arguments.details(draft, files, context)
        guard details != ReleaseDetails() else {
          throw UsageError(message: "there is nothing to change", hint: "see 'pawl amend --help'")
        }
        try draft.change(app, "amend \(version.text)") { line, _ throws(LawViolation) in
          try line.amend(version, details)
        }
      } answer: { draft in
        let release = try draft.line(app).release(version)
        return AmendAnswer(
          release: release?.of(app),
          warnings: release.map { arguments.warnings(of: $0, now: draft.now) } ?? [])
      } text: { answer, outcome in
        Said(ReleaseText.changed(answer.release, isChanged: outcome.isChanged))
      }
    }
  }
}
