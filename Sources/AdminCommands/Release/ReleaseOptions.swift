import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

/// What may be said of a release, when publishing and when amending it.
struct ReleaseOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var version: Version?
  var notesFile: String?
  var url: String?
  var details = ReleaseDetails()

  static func parameters(isNew: Bool) -> [Parameter<ReleaseOptions>] {
    var parameters: [Parameter<ReleaseOptions>] = [
      .argument("APP", .slug, help: "The app") { $0.app = $1 },
      .argument(
        "VERSION", isNew ? .version.offering(.live(.nextVersion)) : .version,
        help: isNew ? "The new version, greater than every one recorded" : "The release"
      ) {
        $0.version = $1
      },
      .option("--build", "B", .shortVersion, help: "Its build; grows within a version") {
        $0.details.build = $1
      },
      .option(
        "--notes", "FILE", .path,
        help: "What is new: a text file, or a JSON object of text by language; - for standard input"
      ) { $0.notesFile = $1 },
      .option("--note", "LOCALE=TEXT", .note, help: "What is new in one language", repeatable: true) {
        options, note in
        guard !options.details.notes.contains(where: { $0.locale == note.locale }) else {
          throw UsageError(
            id: "usage.repeated-option", message: "option '--note' names '\(note.locale)' twice",
            hint: "give one text a language")
        }
        options.details.notes.append(note)
      },
      .option("--min-os", "V", .shortVersion, help: "The oldest system it runs on") { $0.details.minOS = $1 },
      .option("--url", "URL", .text, help: "Where to get it, if not from the app's store page") {
        $0.url = $1
      },
      .flag("--mandatory", help: "Force every older client to this or something newer") {
        $0.details.isMandatory = true
      },
    ]
    if !isNew {
      parameters.append(
        .flag("--optional", help: "No longer mandatory") { options in
          guard options.details.isMandatory == nil else {
            throw UsageError(message: "--mandatory and --optional exclude each other")
          }
          options.details.isMandatory = false
        })
    }
    return parameters + ChangeOptions.parameters.pulled(\.change)
  }

  /// The change to record, and the notes of the file, which belong to what the command says.
  func changing(_ call: Call, _ context: PawlContext) throws -> (Changing, [Note]) {
    let notes = try notesOfFile(context)
    var changing = Changing(change, call, context)
    changing.extraWords = notes.flatMap { [$0.locale, $0.text] }
    return (changing, notes)
  }

  /// The details with the notes file read and the URL checked.
  func details(_ draft: Draft, notes: [Note]) throws -> ReleaseDetails {
    var details = details
    details.notes = notes + details.notes
    if let url { details.url = try draft.url(url) }
    return details
  }

  /// The most bytes of a notes file that are read.
  private static let notesLimit = 1 << 20

  /// The notes of the file named, if one is: a JSON object by language, else a text in no language said.
  private func notesOfFile(_ context: PawlContext) throws -> [Note] {
    guard let notesFile else { return [] }
    let bytes = try context.readGiven(notesFile, limit: ReleaseOptions.notesLimit)
    let file = "'\(printable(notesFile, limit: 200))'"
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Report(
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
          throw Report(
            "notes.malformed",
            "cannot read notes \(file): '\(printable(member.key, limit: 40))' is no language with a text",
            hint: #"write {"en": "…", "de": "…"}"#, exit: .data)
        }
        return Note(locale: member.key, text: text)
      }
    } catch let error as JSONError {
      throw Report(
        "notes.malformed", "cannot read notes \(file): line \(error.line): \(error.reason)",
        hint: #"write {"en": "…", "de": "…"}, or plain text"#, exit: .data)
    }
  }
}

extension String {
  /// The text without blanks and line ends around it.
  var trimmed: String {
    let blanks: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
    guard let first = firstIndex(where: { !blanks($0) }), let last = lastIndex(where: { !blanks($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}
