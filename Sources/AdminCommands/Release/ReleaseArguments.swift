import AppleIntake
import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// The details of a release, as given to `publish` or `amend`.
struct ReleaseArguments: Sendable {
  let details: ReleaseDetails
  let notesFile: String?
  let url: String?
  let expiry: Expiry

  /// When a build stops opening, as it was given.
  struct Expiry: Sendable {
    let time: WrittenTime?
    let zone: ZoneOptions
    let profile: String?
  }

  /// What the named files say, which counts as part of the command.
  struct FromFiles {
    var notes: [Note] = []
    var expires: Timestamp?
  }

  /// The change to record, and what the files say.
  func changing(_ options: ChangeOptions, _ context: PawlContext) throws -> (Changing, FromFiles) {
    let files = FromFiles(notes: try notesOfFile(context), expires: try expiryOfProfile(context))
    var changing = Changing(options, context)
    changing.extraWords =
      files.notes.flatMap { [$0.locale, $0.text] } + [files.expires?.text].compactMap(\.self)
    return (changing, files)
  }

  /// The details, with what the files say added and the URL checked.
  func details(_ draft: Draft, _ files: FromFiles, _ context: PawlContext) throws -> ReleaseDetails {
    var details = details
    details.notes = files.notes + details.notes
    if let url { details.url = try draft.url(url) }
    details.expires = try expiry.time?.moment(now: draft.now, expiry.zone, context) ?? files.expires
    return details
  }

  /// Warnings about what is easily overlooked in the given details, now that clients are told of the release.
  func warnings(of release: Release, now: Timestamp) -> [String] {
    let isExpirySaid = expiry.time != nil || expiry.profile != nil
    var warnings = isExpirySaid ? ReleaseText.expired(release, now: now) : []
    if release.isVisible(at: now), details.minOS != nil, let minOS = release.minOS {
      warnings.append(
        "clients on a system older than \(minOS.text) are no longer sent to \(release.version.text)"
      )
    }
    return warnings
  }

  /// The end of the provisioning profile, if one is named.
  private func expiryOfProfile(_ context: PawlContext) throws -> Timestamp? {
    guard let path = expiry.profile else { return nil }
    let bytes = try context.readGiven(path, limit: ProvisioningProfile.maximumSize)
    let file = "'\(printable(path, limit: 200))'"
    do throws(ProfileFault) {
      return try ProvisioningProfile(bytes).expires
    } catch {
      switch error {
      case .notSigned:
        throw CommandFailure(
          "profile.not-signed", "cannot read profile \(file): it is not a signed message, or was altered",
          hint: "extract embedded.mobileprovision from the .ipa unchanged, or give --expires TIME",
          exit: .data)
      case .noExpiry:
        throw CommandFailure(
          "profile.no-expiry", "cannot read profile \(file): it does not say when it ends",
          hint: "give --expires TIME", exit: .data)
      }
    }
  }

  /// The size in bytes of the largest notes file that is read.
  private static let notesLimit = 1 << 20

  /// The notes in the file, if one is named: a JSON object by language, or a text in an undetermined
  /// language.
  private func notesOfFile(_ context: PawlContext) throws -> [Note] {
    guard let notesFile else { return [] }
    let bytes = try context.readGiven(notesFile, limit: ReleaseArguments.notesLimit)
    let file = "'\(printable(notesFile, limit: 200))'"
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFailure(
        "notes.not-utf8", "cannot read notes \(file): it is not valid UTF-8", hint: "save it as UTF-8",
        exit: .data)
    }
    let trimmed = text.trimmed
    guard trimmed.utf8.first == UInt8(ascii: "{") else {
      return trimmed.isEmpty ? [] : [Note(locale: Note.undetermined, text: trimmed)]
    }
    do {
      guard let object = try JSON(parsing: trimmed.utf8).object else { return [] }
      return try object.members.map { member in
        guard Release.isLocale(member.key), let text = member.value.string else {
          throw CommandFailure(
            "notes.malformed",
            "cannot read notes \(file): '\(printable(member.key, limit: 40))' is not a language tag with a text",
            hint: #"write {"en": "…", "de": "…"}"#, exit: .data)
        }
        return Note(locale: member.key, text: text)
      }
    } catch let error as JSONError {
      throw CommandFailure(
        "notes.malformed", "cannot read notes \(file): line \(error.line): \(error.reason)",
        hint: #"write {"en": "…", "de": "…"}, or plain text"#, exit: .data)
    }
  }
}

extension Parameter where Value == ReleaseArguments {
  static var newReleaseDetails: Parameter { arguments(isMandatory: .list([.mandatory])) }

  static var releaseDetails: Parameter {
    arguments(isMandatory: .list([.mandatory, .flag("--optional", help: "No longer mandatory")]))
  }

  private static func arguments(isMandatory: Parameter<[Bool]>) -> Parameter {
    .group(
      .option("--build", "B", .shortVersion, help: "Its build; must grow within a version"),
      .option(
        "--notes", "FILE", .input,
        help: "Release notes: a text file, or a JSON object of texts by language; - for standard input"),
      .options("--note", "LOCALE=TEXT", .note, help: "Release notes in one language"),
      .option("--min-os", "V", .shortVersion, help: "The oldest OS version it runs on"),
      .option("--url", "URL", .text, help: "Where to get it; default: the app's store page"),
      isMandatory, .expiry
    ) { build, notesFile, notes, minOS, url, isMandatory, expiry throws(UsageError) in
      var details = ReleaseDetails()
      details.build = build
      details.minOS = minOS
      for note in notes {
        guard !details.notes.contains(where: { $0.locale.lowercased() == note.locale.lowercased() }) else {
          throw UsageError(
            id: "usage.repeated-option", message: "option '--note' names '\(note.locale)' twice",
            hint: "give one text per language")
        }
        details.notes.append(note)
      }
      guard isMandatory != [true, true] else {
        throw UsageError(message: "--mandatory and --optional cannot be combined")
      }
      details.isMandatory = isMandatory.firstIndex(of: true).map { $0 == 0 }
      return ReleaseArguments(details: details, notesFile: notesFile, url: url, expiry: expiry)
    }
  }
}

extension Parameter where Value == ReleaseArguments.Expiry {
  /// When a build stops opening.
  fileprivate static var expiry: Parameter {
    .group(
      .option(
        "--expires", "TIME", .time(.end), help: "When the build stops opening: a time, or the end of a date"),
      .option(
        "--profile", "FILE", .input,
        help: "embedded.mobileprovision, which says when the build stops opening; - for standard input"),
      .zoneOfTimes
    ) { time, profile, zone throws(UsageError) in
      guard time == nil || profile == nil else {
        throw UsageError(message: "--expires and --profile cannot be combined")
      }
      return ReleaseArguments.Expiry(time: time, zone: zone, profile: profile)
    }
  }
}

extension Parameter where Value == Bool {
  fileprivate static var mandatory: Parameter {
    .flag("--mandatory", help: "Force every older client to update to this release or a newer one")
  }
}

extension String {
  /// The text without leading and trailing blanks and line ends.
  var trimmed: String {
    let blanks: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
    guard let first = firstIndex(where: { !blanks($0) }), let last = lastIndex(where: { !blanks($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}
