import AppleIntake
import CommandLineKit
import JSON
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
      let files = try arguments.files(coveredBy: changing)
      return try changing.run { draft in
        let details = try arguments.details(of: app, version, &draft, files, changing.context)
        let now = draft.now
        try draft.change(app, "publish \(version.text)") { line, id throws(Refusal) in
          try line.publish(version, details, id: id, now: now)
        }
        let line = try draft.line(app)
        let release = line.release(version)
        return ReleaseText.outcome(
          of: version, line, at: now, unprompted: "Going live would prompt no one, and change no prompt.\n",
          warnings: ReleaseText.zeros(in: version) + line.lostWarning(release)
            + ReleaseText.expired(release, now: now) + line.systemWarning(release)
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
      let files = try arguments.files(coveredBy: changing)
      let isReasoned = changing.options.reason != nil
      return try changing.run { draft in
        let details = try arguments.details(of: app, nil, &draft, files, changing.context)
        try UsageError.demand(details != ReleaseDetails(), "usage.invalid/nothing")
        let needed = try draft.line(app).counted(version)?.minOS
        try draft.change(app, "amend \(version.text)") { line, _ throws(Refusal) in
          try line.amend(version, details, mayBeOlder: isReasoned)
        }
        let line = try draft.line(app)
        return ReleaseText.outcome(
          of: version, line, at: draft.now,
          warnings: line.release(version).map {
            arguments.warnings(of: $0, thatNeeded: needed, now: draft.now)
          } ?? [])
      }
    }
  }
}

/// What `--build` says.
enum BuildChoice: Sendable, Equatable {
  case number(Build)
  /// One greater than all, taken when the release is recorded.
  case next
}

struct ReleaseArguments: Sendable {
  let build: BuildChoice?
  let details: ReleaseDetails
  let notesFile: String?
  let url: String?
  /// When the build stops opening; `profile` may say it instead.
  let expires: WrittenTime?
  let profile: String?
  let zone: ZoneOptions

  /// What the named files say, which counts as part of the command.
  typealias FromFiles = (notes: [Note], expires: Timestamp?)

  /// Reads the files that are named, whose contents a request then covers.
  func files(coveredBy changing: Changing) throws -> FromFiles {
    let files = try (notes: notesOfFile(changing.context), expires: expiryOfProfile(changing.context))
    changing.cover(files.notes.flatMap { [$0.locale, $0.text] } + [files.expires?.text].compactMap(\.self))
    return files
  }

  /// - Parameter new: The version that is published, which keeps its build if it is there already; nil if one is amended.
  func details(
    of app: String, _ new: Version?, _ draft: inout ChangeSet, _ files: FromFiles, _ context: PawlContext
  ) throws -> ReleaseDetails {
    var details = details
    details.notes = files.notes + details.notes
    if let url { details.url = try draft.url(url, for: draft.line(app).app) }
    switch build {
    case nil: break
    case .number(let number): details.build = number
    case .next:
      let known = try new.flatMap { try draft.line(app).counted($0)?.build }
      details.build = try known ?? draft.nextBuild(of: app)
    }
    details.expires = try expires?.moment(now: draft.now, zone, context) ?? files.expires
    return details
  }

  /// Warnings about what is easily overlooked in the given details, now that clients are told of the release.
  func warnings(of release: Release, thatNeeded needed: Version?, now: Timestamp) -> [String] {
    let isExpirySaid = expires != nil || profile != nil
    var warnings = isExpirySaid ? ReleaseText.expired(release, now: now) : []
    if release.isVisible(at: now), let minOS = release.minOS, needed.map({ $0 < minOS }) ?? true {
      warnings.append(
        "clients on a system older than \(minOS.text) are no longer sent to \(release.version.text)"
      )
    }
    return warnings
  }

  private func expiryOfProfile(_ context: PawlContext) throws -> Timestamp? {
    guard let path = profile else { return nil }
    let bytes = try context.readGiven(path, limit: ProvisioningProfile.maximumSize)
    return try ProvisioningProfile(bytes, file: path).expires
  }

  private static let notesLimit = 1 << 20

  private func notesOfFile(_ context: PawlContext) throws -> [Note] {
    guard let notesFile else { return [] }
    let bytes = try context.readGiven(notesFile, limit: ReleaseArguments.notesLimit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure("notes.not-utf8", ["file": notesFile])
    }
    let trimmed = text.trimmed
    guard trimmed.utf8.first == UInt8(ascii: "{") else {
      return trimmed.isEmpty ? [] : [Note(locale: Note.undetermined, text: trimmed)]
    }
    do {
      guard let object = try JSON(parsing: trimmed.utf8).object else { return [] }
      return try object.members.reduce(into: []) { notes, member in
        guard Release.isLocale(member.key), let text = member.value.string else {
          throw CommandFailure("notes.malformed/member", ["file": notesFile, "member": member.key])
        }
        guard !notes.contains(where: { $0.isIn(member.key) }) else {
          throw CommandFailure("notes.malformed/twice", ["file": notesFile, "member": member.key])
        }
        notes.append(Note(locale: member.key, text: text))
      }
    } catch let error as JSONError {
      throw CommandFailure(
        "notes.malformed", ["file": notesFile, "line": String(error.line), "reason": error.reason])
    }
  }
}

extension ValueType where Value == BuildChoice {
  fileprivate static var buildChoice: Self {
    reading("build.malformed/value") { $0 == "next" ? .next : .number(try Build($0)) }
  }
}

extension Parameter where Value == ReleaseArguments {
  static var newReleaseDetails: Parameter { arguments([]) }

  static var releaseDetails: Parameter { arguments([.flag("--optional", help: "No longer mandatory")]) }

  private static func arguments(_ optional: [Parameter<Bool>]) -> Parameter {
    .group(
      .option(
        "--build", "B|next", .buildChoice,
        help: "Its build, greater than that of every earlier upload; next: the number after the greatest"),
      .option(
        "--notes", "FILE", .input,
        help: "Release notes: a text file, or a JSON object of texts by language; - for standard input"),
      .options("--note", "LOCALE=TEXT", .note, help: "Release notes in one language"),
      .option("--min-os", "V", .system, help: "The oldest OS version it runs on"),
      .option("--url", "URL", .text, help: "Where to get it; default: the app's store page"),
      .list(
        [.flag("--mandatory", help: "Force every older client to update to this release or a newer one")]
          + optional),
      .option(
        "--expires", "TIME", .time(.end), help: "When the build stops opening: a time, or the end of a date"),
      .option(
        "--profile", "FILE", .input,
        help: "embedded.mobileprovision, which says when the build stops opening; - for standard input"),
      .zone
    ) {
      build, notesFile, notes, minOS, url, isMandatory, expires, profile, zone throws(UsageError) in
      try UsageError.demand(expires == nil || profile == nil, together: "--expires and --profile")
      var details = ReleaseDetails()
      details.minOS = minOS
      for note in notes {
        guard !details.notes.contains(where: { $0.isIn(note.locale) }) else {
          throw UsageError("usage.repeated-option/part", ["what": "language '\(note.locale)' of --note"])
        }
        details.notes.append(note)
      }
      try UsageError.demand(isMandatory != [true, true], together: "--mandatory and --optional")
      details.isMandatory = isMandatory.firstIndex(of: true).map { $0 == 0 }
      return ReleaseArguments(
        build: build, details: details, notesFile: notesFile, url: url, expires: expires, profile: profile,
        zone: zone)
    }
  }
}
