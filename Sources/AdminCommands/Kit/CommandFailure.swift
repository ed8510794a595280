package import CommandLineKit
package import JSON

/// Why a command fails, worded for people and programs, and the exit status of the process: what the parts of
/// commands throw, besides what the modules below them throw.
package struct CommandFailure: Error, Sendable, Equatable {
  /// Stable: the row of docs/errors.md, without the wording.
  package let id: String
  /// What was refused and why, in lower case without a full stop.
  package let message: String
  package let hint: String?
  package internal(set) var details: JSON
  package let exit: ExitCode

  /// Makes an error in the words of docs/errors.md.
  ///
  /// - Parameters:
  ///   - key: The error's id, or `id/wording`.
  ///   - values: What stands for the names in the row's templates.
  ///   - details: What programs get; its members stand for names, too.
  ///   - hint: What to do, if it depends on more than the wording.
  ///   - exit: The status, if it is not always that of the row.
  init(
    _ key: String, _ values: [String: String] = [:], details: JSON = .object(JSON.Object()),
    hint: String? = nil, exit: ExitCode? = nil
  ) {
    let words = ErrorWords(key, values, details: details)
    self.init(
      words.id, words.message, hint: hint ?? words.hint, details: details, exit: exit ?? words.exit)
  }

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

/// The exit codes of pawl, from sysexits.h where one fits.
extension ExitCode {
  /// Refused by a law, or the answer is no.
  package static let refused = ExitCode(rawValue: 1)
  /// Unusable content (EX_DATAERR).
  package static let data = ExitCode(rawValue: 65)
  /// A defect of pawl's own (EX_SOFTWARE).
  package static let defect = ExitCode(rawValue: 70)
  /// Input or output failed (EX_IOERR).
  package static let io = ExitCode(rawValue: 74)
  /// Busy, try again (EX_TEMPFAIL).
  package static let busy = ExitCode(rawValue: 75)
}
