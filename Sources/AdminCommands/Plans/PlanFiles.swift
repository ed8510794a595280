import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

enum PlanFiles {
  /// Reads a plan; `-` is standard input.
  ///
  /// - Throws: `CommandFailure`: `plan.malformed` for anything that is not a plan, `SystemError`,
  ///   `FileTooLarge`.
  static func read(_ path: String, _ context: PawlContext) throws -> SignedPlan {
    let bytes =
      path == "-"
      ? try context.readAllInput(limit: Plan.mostFileBytes) : try readFile(path, limit: Plan.mostFileBytes)
    guard let json = try? JSON(parsing: bytes), let plan = SignedPlan(json: json) else {
      throw CommandFailure(
        "plan.malformed", "cannot use '\(printable(path, limit: 200))': it is not a plan",
        hint: "make one by adding --plan FILE to a command", exit: .data)
    }
    return plan
  }

  static func bytes(of plan: SignedPlan) -> [UInt8] { plan.applied.json.bytes() + [0x0A] }

  /// Writes a plan to a path where there is nothing yet, or another plan.
  ///
  /// - Returns: How many signatures were lost with an earlier plan that said something else.
  /// - Throws: `CommandFailure`: `plan.file-taken`, `SystemError`.
  @discardableResult
  static func write(_ plan: SignedPlan, to path: String) throws -> Int {
    let found = try earlier(at: path)
    do {
      try publishFile(
        bytes(of: plan), as: path, rights: found?.rights ?? 0o644, replaces: found != nil)
      return found.map { $0.plan.digest == plan.digest ? 0 : $0.plan.applied.signatures.count } ?? 0
    } catch {
      if error.isTaken { throw taken(path) }
      throw error
    }
  }

  /// The plan at a path, and the rights of its file; nil if there is no file.
  ///
  /// - Throws: `CommandFailure` if something else is there, or a link, since links are not followed.
  private static func earlier(at path: String) throws -> (plan: SignedPlan, rights: UInt32)? {
    let status: FileStatus
    do {
      status = try FileStatus(of: path)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    guard status.kind == .regular, status.links == 1,
      let bytes = try? readFile(path, limit: Plan.mostFileBytes), let json = try? JSON(parsing: bytes),
      let plan = SignedPlan(json: json)
    else { throw taken(path) }
    return (plan, status.rights & 0o777)
  }

  private static func taken(_ path: String) -> CommandFailure {
    CommandFailure(
      "plan.file-taken", "cannot write the plan to '\(printable(path, limit: 200))': something else is there",
      hint: "name another file", exit: .refused)
  }
}
