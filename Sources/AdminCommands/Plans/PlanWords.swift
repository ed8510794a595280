import CommandLineKit
import Ledger
import ReleaseModel

/// The words of a command in a plan: only those that say what to do, with every time as a moment and every
/// range normalized.
enum PlanWords {
  /// Options that only say how to read or run a command, or that the plan replaces.
  private static let left: Set = ["--zone", "--expect-head"]

  /// Options whose value is a time, with what the time is for.
  static let times: [String: TimeUse] = [
    "--from": .start, "--grace": .start, "--until": .end, "--expires": .end, "--at": .happening,
  ]

  /// Parameters whose value is a range of versions.
  static let ranges: Set = ["RANGE", "--versions"]

  /// Writes a command as it appears in a plan.
  ///
  /// - Parameter now: The moment from which durations count.
  /// - Throws: What `WrittenTime` throws.
  static func words(of call: Call, now: Timestamp, _ context: PawlContext) throws -> [String] {
    let zone = ZoneOptions(name: call.words.first { $0.name == "--zone" }?.value)
    var arguments: [String] = []
    var options: [String] = []
    for word in call.words where !left.contains(word.name) {
      var value = word.value
      if let written = value, let use = times[word.name] {
        value = try ValueType<WrittenTime>.time(use).parse(written).moment(now: now, zone, context).text
      } else if let written = value, ranges.contains(word.name), let range = try? VersionRange(written) {
        value = range.text
      }
      guard word.name.hasPrefix("--") else {
        arguments.append(value ?? "")
        continue
      }
      options.append(value.map { "\(word.name)=\($0)" } ?? word.name)
    }
    let isPlain = arguments.allSatisfy { $0 == "-" || !$0.hasPrefix("-") }
    return call.path + (isPlain ? arguments + options : options + ["--"] + arguments)
  }

  /// Adds options before any `--`, after which only arguments follow.
  static func adding(_ options: [String], to words: [String]) -> [String] {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    return words[..<end] + options + words[end...]
  }

  /// The command of a plan, if it is one that pawl writes into plans.
  ///
  /// - Throws: `CommandFailure`: `plan.altered` for any other.
  static func invocation(of plan: Plan, _ context: PawlContext) throws -> Invocation<PawlContext> {
    let outcome: Outcome<PawlContext>?
    do {
      outcome = try AdminCommands.outcome(of: plan.command, context)
    } catch {
      throw refused("its command is not valid: \(error.message)")
    }
    guard case .run(let invocation) = outcome,
      invocation.parameters.contains(where: { $0.name == "--plan" }),
      !invocation.given.contains(where: { $0.parameter.incidental })
    else { throw refused("its command cannot be planned") }
    guard try words(of: invocation.call, now: plan.made, context) == plan.command else {
      throw refused("its command is not as pawl writes it")
    }
    guard invocation.value(of: "--reason") == plan.reason else {
      throw refused("its reason is not that of its command")
    }
    return invocation
  }

  private static func refused(_ reason: String) -> CommandFailure {
    CommandFailure(
      "plan.altered", "cannot use the plan: \(reason)", hint: "make a new plan with --plan", exit: .refused
    )
  }
}
