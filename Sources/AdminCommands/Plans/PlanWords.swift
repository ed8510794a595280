import CommandLineKit
import Ledger
import ReleaseModel

/// The words of a command in a plan: what to do, with every time as a moment and every range normalized.
enum PlanWords {
  /// - Parameter now: The moment from which durations count.
  static func words(
    of invocation: Invocation<PawlContext>, now: Timestamp, _ context: PawlContext
  ) throws -> [String] {
    let zone = ZoneOptions(name: invocation.value(of: "--zone"))
    var arguments: [String] = []
    var options: [String] = []
    for given in invocation.given where !given.parameter.incidental && !given.parameter.transient {
      let value: String? =
        switch given.parsed {
        case let time as WrittenTime: try time.moment(now: now, zone, context).text
        case let range as VersionRange: range.text
        default: given.value
        }
      guard given.parameter.kind != .argument else {
        arguments.append(value ?? "")
        continue
      }
      options.append(value.map { "\(given.parameter.name)=\($0)" } ?? given.parameter.name)
    }
    let path = invocation.call.path
    let isPlain = arguments.allSatisfy { $0 == "-" || !$0.hasPrefix("-") }
    return path + (isPlain ? arguments + options : options + ["--"] + arguments)
  }

  /// The command of a plan, if it is one that pawl writes into plans; throws `plan.altered` for any other.
  static func invocation(of plan: Plan, _ context: PawlContext) throws -> Invocation<PawlContext> {
    let outcome: Parsed<PawlContext>?
    do {
      outcome = try AdminCommands.outcome(of: plan.command, context)
    } catch {
      throw refused("its command is not valid: \(error.message)")
    }
    guard case .run(let invocation) = outcome,
      invocation.parameters.contains(where: { $0.name == "--plan" }),
      !invocation.given.contains(where: { $0.parameter.incidental })
    else { throw refused("its command cannot be planned") }
    guard try words(of: invocation, now: plan.made, context) == plan.command else {
      throw refused("its command is not as pawl writes it")
    }
    guard invocation.value(of: "--reason") == plan.reason else {
      throw refused("its reason is not that of its command")
    }
    return invocation
  }

  private static func refused(_ reason: String) -> CommandFailure {
    CommandFailure("plan.altered/words", ["reason": reason])
  }
}
