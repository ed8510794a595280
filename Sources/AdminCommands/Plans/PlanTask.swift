import CommandLineKit
import JSON
import Ledger
import Platform

/// The plan that a command is run for, when it is not run by itself.
final class PlanTask {
  enum Purpose {
    /// To put the command's change into a plan.
    case making(Invocation<PawlContext>)
    /// To apply a plan that contains the command.
    case applying(SignedPlan, actor: String?)
  }

  /// Checks whether a change can be recorded, instead of recording it.
  typealias Checking = (
    Changing, (inout Draft) throws -> Void, (inout Draft) throws -> [(String, JSON)]
  ) throws -> ExitCode

  let purpose: Purpose
  var checking: Checking?
  /// The files that the command has read.
  private(set) var files: [Plan.File] = []

  init(_ purpose: Purpose) { self.purpose = purpose }

  /// The plan that is being applied, if one is.
  var applied: (plan: SignedPlan, actor: String?)? {
    if case .applying(let plan, let actor) = purpose { (plan, actor) } else { nil }
  }

  /// Whether files are read from the plan that is being applied.
  var isApplying: Bool { applied != nil }

  /// Whether nothing can be recorded, so that nobody need agree.
  var isRehearsal: Bool { applied == nil || checking != nil }

  /// Reads a file for the command: from the file system when making a plan, which then carries it; otherwise
  /// from the plan.
  ///
  /// - Throws: `CommandFailure` if the plan does not carry the file, and what `read` throws.
  fileprivate func bytes(of name: String, _ read: () throws -> [UInt8]) throws -> [UInt8] {
    switch purpose {
    case .making:
      let bytes = try read()
      carry(Plan.File(name: name, content: .bytes(bytes)))
      return bytes
    case .applying(let signed, _):
      for file in signed.plan.files where file.name == name {
        if case .bytes(let bytes) = file.content { return bytes }
      }
      throw PlanTask.notCarried(name)
    }
  }

  fileprivate func secretHash(of name: String, _ hash: () throws -> String) throws -> String {
    switch purpose {
    case .making:
      let sha256 = try hash()
      carry(Plan.File(name: name, content: .secret(sha256: sha256)))
      return sha256
    case .applying(let signed, _):
      for file in signed.plan.files where file.name == name {
        if case .secret(let sha256) = file.content { return sha256 }
      }
      throw PlanTask.notCarried(name)
    }
  }

  private func carry(_ file: Plan.File) {
    if !files.contains(file) { files.append(file) }
  }

  private static func notCarried(_ name: String) -> CommandFailure {
    CommandFailure(
      "plan.altered",
      "cannot apply the plan: it does not carry '\(printable(name, limit: 200))', which it reads",
      hint: "make a new plan", exit: .refused)
  }
}

extension PawlContext {
  /// Reads a file that a command was given, or standard input for `-`; when a plan is applied, reads what it
  /// carries.
  ///
  /// - Throws: `FileTooLarge` beyond the limit, `SystemError`.
  func readGiven(_ path: String, limit: Int) throws -> [UInt8] {
    func read() throws -> [UInt8] {
      path == "-" ? try readAllInput(limit: limit) : try readFile(path, limit: limit)
    }
    return try planTask?.bytes(of: path, read) ?? read()
  }

  /// Asks somebody else, such as DNS; when a plan is applied, returns the answer from when it was made.
  ///
  /// - Throws: What `ask` throws.
  func answered(as name: String, _ ask: () throws -> String) throws -> String {
    guard let task = planTask else { return try ask() }
    return String(decoding: try task.bytes(of: name) { Array(try ask().utf8) }, as: UTF8.self)
  }

  /// The hash of a secret in a file, which a plan carries instead of the secret.
  ///
  /// - Throws: What `hash` throws.
  func secretHash(of path: String, _ hash: () throws -> String) throws -> String {
    try planTask?.secretHash(of: path, hash) ?? hash()
  }
}
