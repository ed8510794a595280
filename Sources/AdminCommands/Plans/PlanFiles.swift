import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

/// Plans as files.
enum PlanFiles {
  /// Reads a plan; `-` is standard input.
  ///
  /// - Throws: `CommandFailure`: `plan.malformed` for anything else, `SystemError`, `FileTooLarge`.
  static func read(_ path: String, _ context: PawlContext) throws -> SignedPlan {
    let bytes =
      path == "-"
      ? try context.readAllInput(limit: Plan.mostFileBytes) : try readFile(path, limit: Plan.mostFileBytes)
    guard let json = try? JSON(parsing: bytes), let plan = SignedPlan(json: json) else {
      throw CommandFailure(
        "plan.malformed", "cannot use '\(printable(path, limit: 200))': it is no plan",
        hint: "make one by adding --plan FILE to a command", exit: .data)
    }
    return plan
  }

  /// The bytes of a plan's file.
  static func bytes(of plan: SignedPlan) -> [UInt8] { plan.applied.json.bytes() + [0x0A] }

  /// Writes a plan where nothing is, or another plan.
  ///
  /// - Throws: `CommandFailure`: `plan.file-taken`, `SystemError`.
  static func write(_ plan: SignedPlan, to path: String) throws {
    let rights = try rights(of: path)
    do {
      try publishFile(bytes(of: plan), as: path, rights: rights ?? 0o644, replaces: rights != nil)
    } catch {
      if error.isTaken { throw taken(path) }
      throw error
    }
  }

  /// The rights of the plan that is there; nil where nothing is.
  ///
  /// - Throws: `CommandFailure` where something else is, or a link: none is followed.
  private static func rights(of path: String) throws -> UInt32? {
    let status: FileStatus
    do {
      status = try FileStatus(of: path)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    guard status.kind == .regular, status.links == 1,
      let bytes = try? readFile(path, limit: Plan.mostFileBytes), let json = try? JSON(parsing: bytes),
      SignedPlan(json: json) != nil
    else { throw taken(path) }
    return status.rights & 0o777
  }

  private static func taken(_ path: String) -> CommandFailure {
    CommandFailure(
      "plan.file-taken", "cannot write the plan to '\(printable(path, limit: 200))': something else is there",
      hint: "name another file", exit: .refused)
  }
}
