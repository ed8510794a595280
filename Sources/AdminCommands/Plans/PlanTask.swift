import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

/// The plan that a command is run for, when it is not run by itself.
final class PlanTask {
  /// The command of which a plan is made; nil if one is applied.
  let making: Invocation<PawlContext>?
  /// The plan that is applied, and the options of the command that applies it.
  let applied: (plan: SignedPlan, options: ChangeOptions)?
  /// Whether nothing can be recorded, so that no one need agree.
  let isRehearsal: Bool
  /// Sees what the command does.
  var look: (Effects) throws -> Void = { _ in }
  /// What a rehearsal would record.
  var recorded: Recorded?
  private(set) var files: [Plan.File] = []

  init(making command: Invocation<PawlContext>) { (making, applied, isRehearsal) = (command, nil, true) }

  /// - Parameter isRehearsal: Whether it is only found out whether the plan could be applied.
  init(applying plan: SignedPlan, _ options: ChangeOptions, isRehearsal: Bool = false) {
    (making, applied, self.isRehearsal) = (nil, (plan, options), isRehearsal)
  }

  fileprivate func carry(_ file: Plan.File) { if !files.contains(file) { files.append(file) } }
}

extension PawlContext {
  /// Reads something for a command; a plan that is made carries it, and one that is applied has it.
  private func carried(
    _ name: String, isSecret: Bool = false, _ read: () throws -> [UInt8]
  ) throws -> [UInt8] {
    guard let plan = planTask?.applied?.plan.plan else {
      let bytes = try read()
      planTask?.carry(Plan.File(name: name, bytes: bytes, isSecret: isSecret))
      return bytes
    }
    guard let file = plan.files.first(where: { $0.name == name && $0.isSecret == isSecret }) else {
      throw CommandFailure("plan.altered/words", ["reason": "it does not contain '\(name)', which it reads"])
    }
    return file.bytes
  }

  /// Reads a file that a command was given, standard input for `-`, or what the plan being applied carries.
  func readGiven(_ path: String, limit: Int) throws -> [UInt8] {
    try carried(path) { path == "-" ? try readAllInput(limit: limit) : try readFile(path, limit: limit) }
  }

  /// Asks someone else, such as DNS; when a plan is applied, returns the answer from when it was made.
  func answered(as name: String, _ ask: () throws -> String) throws -> String {
    String(decoding: try carried(name) { Array(try ask().utf8) }, as: UTF8.self)
  }

  /// The hash of a secret in a file, which a plan carries instead of the secret.
  func secretHash(of path: String, _ hash: () throws -> String) throws -> String {
    String(decoding: try carried(path, isSecret: true) { Array(try hash().utf8) }, as: UTF8.self)
  }
}

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
