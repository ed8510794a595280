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

  /// Reads something for the command, which a plan being made carries; from the plan that is being applied.
  fileprivate func carried<Value>(
    _ name: String, as content: (Value) -> Plan.File.Content, of value: (Plan.File.Content) -> Value?,
    _ read: () throws -> Value
  ) throws -> Value {
    guard let applied else {
      let value = try read()
      let file = Plan.File(name: name, content: content(value))
      if !files.contains(file) { files.append(file) }
      return value
    }
    for file in applied.plan.plan.files where file.name == name {
      if let value = value(file.content) { return value }
    }
    throw CommandFailure("plan.altered/words", ["reason": "it does not contain '\(name)', which it reads"])
  }
}

extension PawlContext {
  private func bytes(of name: String, _ read: () throws -> [UInt8]) throws -> [UInt8] {
    let value: (Plan.File.Content) -> [UInt8]? = { if case .bytes(let bytes) = $0 { bytes } else { nil } }
    return try planTask?.carried(name, as: Plan.File.Content.bytes, of: value, read) ?? read()
  }

  /// Reads a file that a command was given, standard input for `-`, or what the plan being applied carries.
  func readGiven(_ path: String, limit: Int) throws -> [UInt8] {
    try bytes(of: path) {
      path == "-" ? try readAllInput(limit: limit) : try readFile(path, limit: limit)
    }
  }

  /// Asks someone else, such as DNS; when a plan is applied, returns the answer from when it was made.
  func answered(as name: String, _ ask: () throws -> String) throws -> String {
    String(decoding: try bytes(of: name) { Array(try ask().utf8) }, as: UTF8.self)
  }

  /// The hash of a secret in a file, which a plan carries instead of the secret.
  func secretHash(of path: String, _ hash: () throws -> String) throws -> String {
    let value: (Plan.File.Content) -> String? = { if case .secret(let hash) = $0 { hash } else { nil } }
    return try planTask?.carried(path, as: Plan.File.Content.secret(sha256:), of: value, hash) ?? hash()
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
