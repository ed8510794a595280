import CommandLineKit
import JSON
import Ledger
import Platform

/// The plan that a command is run for, when it is not run by itself.
final class PlanTask {
  enum Purpose {
    case making(Invocation<PawlContext>)
    /// The plan, and the options of the command that applies it.
    case applying(SignedPlan, ChangeOptions)
  }

  typealias Checking = (Changing, (inout ChangeSet) throws -> Outcome) throws -> ExitCode

  let purpose: Purpose
  var checking: Checking?
  private(set) var files: [Plan.File] = []

  init(_ purpose: Purpose) { self.purpose = purpose }

  var applied: (plan: SignedPlan, options: ChangeOptions)? {
    if case .applying(let plan, let options) = purpose { (plan, options) } else { nil }
  }

  /// Whether nothing can be recorded, so that nobody need agree.
  var isRehearsal: Bool { applied == nil || checking != nil }

  /// Reads something for the command, which a plan being made carries; from the plan that is being applied.
  fileprivate func carried<Value>(
    _ name: String, as content: (Value) -> Plan.File.Content, of value: (Plan.File.Content) -> Value?,
    _ read: () throws -> Value
  ) throws -> Value {
    guard case .applying(let signed, _) = purpose else {
      let value = try read()
      let file = Plan.File(name: name, content: content(value))
      if !files.contains(file) { files.append(file) }
      return value
    }
    for file in signed.plan.files where file.name == name {
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

  /// Asks somebody else, such as DNS; when a plan is applied, returns the answer from when it was made.
  func answered(as name: String, _ ask: () throws -> String) throws -> String {
    String(decoding: try bytes(of: name) { Array(try ask().utf8) }, as: UTF8.self)
  }

  /// The hash of a secret in a file, which a plan carries instead of the secret.
  func secretHash(of path: String, _ hash: () throws -> String) throws -> String {
    let value: (Plan.File.Content) -> String? = { if case .secret(let hash) = $0 { hash } else { nil } }
    return try planTask?.carried(path, as: Plan.File.Content.secret(sha256:), of: value, hash) ?? hash()
  }
}
