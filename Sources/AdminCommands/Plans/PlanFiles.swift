import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

enum PlanFiles {
  static func read(_ path: String, _ context: PawlContext) throws -> SignedPlan {
    let bytes =
      path == "-"
      ? try context.readAllInput(limit: Plan.mostFileBytes) : try readFile(path, limit: Plan.mostFileBytes)
    guard let plan = plan(bytes) else { throw CommandFailure("plan.malformed", ["file": path]) }
    return plan
  }

  /// Reads a plan from a file, or for `-` from the first line of standard input.
  ///
  /// - Parameter rest: Gets what was read of standard input beyond that line.
  static func readLine(_ path: String, _ context: PawlContext, rest: inout [UInt8]) throws -> SignedPlan {
    guard path == "-" else { return try read(path, context) }
    while !rest.contains(0x0A), rest.count <= Plan.mostFileBytes, let chunk = try context.readInput() {
      rest += chunk
    }
    let line = rest.prefix { $0 != 0x0A }
    guard line.count <= Plan.mostFileBytes, let plan = plan(Array(line)) else {
      throw CommandFailure("plan.malformed", ["file": path])
    }
    rest.removeFirst(min(line.count + 1, rest.count))
    return plan
  }

  private static func plan(_ bytes: [UInt8]) -> SignedPlan? {
    (try? JSON(parsing: bytes)).flatMap(SignedPlan.init(json:))
  }

  static func bytes(of plan: SignedPlan) -> [UInt8] { plan.applied.json.bytes() + [0x0A] }

  /// Writes a plan where there is nothing or another plan; returns how many signatures were lost with that.
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

  /// Adds a signature to the plan in a file, beside those that others added meanwhile; returns what is there then, and
  /// whether the signature is new; nil if it is none.
  static func add(
    _ signature: String, to plan: SignedPlan, at path: String
  ) throws -> (plan: SignedPlan, isNew: Bool)? {
    while true {
      let lock = try FileLock(existing: path)
      // Some file systems lock no file that is only read.
      _ = try? lock.take(waiting: 10)
      guard try lock.hasName() else { continue }
      guard let found = try earlier(at: path)?.plan, found.digest == plan.digest else { throw taken(path) }
      var signed = found
      guard signed.add(signature) else { return nil }
      if signed != found { try write(signed, to: path) }
      return (signed, signed != found)
    }
  }

  /// The plan at a path, and its rights; nil if no file is there. Links are not followed.
  private static func earlier(at path: String) throws -> (plan: SignedPlan, rights: UInt32)? {
    guard let status = try FileStatus.found(at: path) else { return nil }
    guard status.kind == .regular, status.links == 1,
      let plan = (try? readFile(path, limit: Plan.mostFileBytes)).flatMap(plan)
    else { throw taken(path) }
    return (plan, status.rights & 0o777)
  }

  private static func taken(_ path: String) -> CommandFailure {
    CommandFailure("plan.file-taken", ["file": path])
  }
}

/// Signs with people's own SSH keys, by running `ssh-keygen`.
enum SSHKeygen {
  private static let usualNames = ["id_ed25519", "id_ed25519_sk", "id_ecdsa", "id_ecdsa_sk", "id_rsa"]

  static let help =
    "Your key, or the public half of one that ssh-agent holds; default: ~/.ssh/id_ed25519 or similar"

  static func usualKey(_ context: PawlContext) throws -> String {
    let folder = (context.environment("HOME") ?? "") + "/.ssh/"
    for name in usualNames where (try? FileStatus(of: folder + name)) != nil { return folder + name }
    throw CommandFailure("plan.no-key", ["folder": folder])
  }

  static func sign(
    _ bytes: [UInt8], namespace: String, key: String, isJSON: Bool, _ context: PawlContext
  ) throws -> String {
    let words = ["ssh-keygen", "-Y", "sign", "-q", "-n", namespace, "-f", key]
    // Programs get one object, with what ssh-keygen says in it.
    let end = try? context.captureProgram(words, bytes, isJSON)
    guard let end, end.status == 0, let signature = String(validating: end.output, as: UTF8.self) else {
      let said = isJSON ? end.map { String(decoding: $0.errors, as: UTF8.self) } : nil
      throw CommandFailure("plan.not-signed", ["key": key], details: ["said": .optional(said)])
    }
    return signature
  }
}
