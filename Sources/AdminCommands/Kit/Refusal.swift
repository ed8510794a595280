import CommandLineKit
import JSON

/// A command on an app that was refused: what all such reports have in common.
struct Refusal {
  let app: String
  /// What was tried: "publish 7.3.1".
  let command: String

  /// Says why, and what to do next.
  func report(
    _ id: String, _ reason: String, _ hint: String?, _ details: [(String, JSON)] = [],
    exit: ExitCode = .refused
  ) -> Report {
    Report(
      id, "cannot \(command) for \(app): \(reason)", hint: hint,
      details: .object(JSON.Object([("app", .string(app))] + details)), exit: exit)
  }
}
