package import CommandLineKit
package import JSON

/// Why a command fails, worded for people and programs, and the exit status of the process: what the parts of
/// commands throw, besides what the modules below them throw.
package struct CommandFailure: Error, Sendable, Equatable {
  /// Stable, catalogued in docs/errors.md.
  package let id: String
  /// What was refused and why, in lower case without a full stop.
  package let message: String
  package let hint: String?
  package internal(set) var details: JSON
  package let exit: ExitCode

  package init(
    _ id: String, _ message: String, hint: String? = nil, details: JSON = .object(JSON.Object()),
    exit: ExitCode = .refused
  ) {
    (self.id, self.message, self.hint, self.details, self.exit) = (id, message, hint, details, exit)
  }

  /// The failure as text or, for programs, as one JSON object; both for standard error.
  package func text(isJSON: Bool, styles: Bool) -> String {
    if isJSON {
      let error: JSON = [
        "id": .string(id), "message": .string(message), "hint": .optional(hint), "details": details,
      ]
      return (["error": error] as JSON).text() + "\n"
    }
    var text = Style.red.apply("error:", enabled: styles) + " \(message)\n"
    if let hint { text += Style.bold.apply("hint:", enabled: styles) + " \(hint)\n" }
    return text
  }
}

extension UsageError {
  static func demand(
    _ holds: Bool, _ message: @autoclosure () -> String, hint: String? = nil, id: String = "usage.invalid"
  ) throws(UsageError) {
    if !holds { throw UsageError(id: id, message: message(), hint: hint) }
  }
}

/// A refused command on an app: what all such failures have in common.
struct Refusal {
  let app: String
  let command: String

  func report(
    _ id: String, _ reason: String, _ hint: String?, _ details: [(String, JSON)] = [],
    exit: ExitCode = .refused
  ) -> CommandFailure {
    CommandFailure(
      id, "cannot \(attempt): \(reason)", hint: hint,
      details: .object(JSON.Object([("app", .string(app))] + details)), exit: exit)
  }

  /// The attempt in English: "publish 7.3.1 for taxi", "stop taxi".
  private var attempt: String {
    switch command {
    case "resume", "retire", "stop": "\(command) \(app)"
    case "change details": "change the details of \(app)"
    case "strike out the app": "strike out \(app)"
    case "allow all", "force all", "redirect all", "remind all":
      "\(command.prefix { $0 != " " }) all versions of \(app)"
    case _ where command.hasPrefix("undo ") || command.hasPrefix("redo "):
      "\(command.prefix(4)) event \(command.dropFirst(5)) of \(app)"
    default: "\(command) for \(app)"
    }
  }
}

/// The exit codes of pawl, from sysexits.h where one fits.
extension ExitCode {
  /// Refused by a law, or the answer is no.
  package static let refused = ExitCode(rawValue: 1)
  /// Unusable content (EX_DATAERR).
  package static let data = ExitCode(rawValue: 65)
  /// No such ledger, file, app, release or event (EX_NOINPUT).
  package static let missing = ExitCode(rawValue: 66)
  /// A defect of pawl's own (EX_SOFTWARE).
  package static let defect = ExitCode(rawValue: 70)
  /// Input or output failed (EX_IOERR).
  package static let io = ExitCode(rawValue: 74)
  /// Busy, try again (EX_TEMPFAIL).
  package static let busy = ExitCode(rawValue: 75)
  /// Not permitted (EX_NOPERM).
  package static let forbidden = ExitCode(rawValue: 77)
  /// Interrupted, as shells report SIGINT.
  package static let interrupted = ExitCode(rawValue: 130)
}
