import Crypto
package import JSON
package import ReleaseModel

/// A change put together but not recorded, as a file that people read, sign and apply.
package struct Plan: Sendable, Equatable {
  /// A file that the command reads, carried in the plan.
  package struct File: Sendable, Equatable {
    /// The name under which the command reads it; `-` for standard input.
    package let name: String
    /// Its content; of a secret the SHA-256, in hexadecimal.
    package let bytes: [UInt8]
    package let isSecret: Bool

    package init(name: String, bytes: [UInt8], isSecret: Bool = false) {
      (self.name, self.bytes, self.isSecret) = (name, bytes, isSecret)
    }

    fileprivate var json: JSON {
      let text = String(validating: bytes, as: UTF8.self)
      let content = text.map(JSON.string) ?? .string(Base64.encode(bytes))
      return .object(
        JSON.Object([
          ("name", .string(name)), (isSecret ? "sha256" : text == nil ? "base64" : "text", content),
        ]))
    }

    fileprivate init?(json: JSON) {
      guard json.object?.members.count == 2, let name = json["name"]?.string else { return nil }
      if let text = json["text"]?.string ?? json["sha256"]?.string {
        self.init(name: name, bytes: Array(text.utf8), isSecret: json["text"] == nil)
      } else if let bytes = json["base64"]?.string.flatMap({ Base64.decode($0.utf8) }) {
        self.init(name: name, bytes: bytes)
      } else {
        return nil
      }
    }
  }

  /// The namespace of the signatures (`ssh-keygen -Y sign -n`).
  package static let namespace = "pawl-plan@v1"
  /// How long after its making a plan may be applied.
  package static let lifetime = TimeSpan(seconds: 7 * 86_400)
  /// How far the clock of whoever made a plan may be ahead of the ledger's.
  package static let clockTolerance = TimeSpan(seconds: 300)
  package static let mostBytes = 1 << 20
  package static let mostFileBytes = 8 << 20
  package static let mostSignatures = 99

  package let ledger: String
  /// The file of the ledger that it is for (`FileIdentity.text`): on a copy, it is no agreement.
  package let file: String
  /// The command's words without the program's name, with durations and local times resolved.
  package var command: [String] = []
  package var files: [File] = []
  package var author = JSON.null
  package var reason: String?
  package let made: Timestamp
  package let head: JSON
  /// The event that each app's schedule was of when the plan was made, of the apps whose schedules it changes.
  package let generations: JSON
  /// The rows that it touches and what becomes of them: kind, app, version, before and after of each change.
  package let rows: [JSON]
  /// What clients are told before and after, in every case; what the change does when it is applied is held to it.
  package let effect: [ImpactLine]
  /// What it alters as the ledger stands besides prompts, which only a reader wants to know.
  package let rest: Impact.Rest

  package var expires: Timestamp { made + Plan.lifetime }

  package var json: JSON {
    [
      "ledger": .string(ledger), "file": .string(file), "command": .array(command.map(JSON.string)),
      "files": .array(files.map(\.json)), "author": author, "reason": .optional(reason),
      "made": .string(made.text), "expires": .string(expires.text), "head": head,
      "generations": generations, "rows": .array(rows), "effect": .array(effect.map(\.json)),
      "rest": .string(rest.rawValue),
    ]
  }
}

extension Plan {
  /// Reads a plan; nil for anything that pawl would not have written.
  package init?(json: JSON) {
    guard let ledger = json["ledger"]?.string, let file = json["file"]?.string,
      let command = json["command"]?.array?.map(\.string),
      let files = json["files"]?.array?.map(File.init(json:)), let author = json["author"],
      let made = json["made"]?.string.flatMap({ try? Timestamp($0) }), let head = json["head"],
      let generations = json["generations"], let rows = json["rows"]?.array,
      let effect = json["effect"]?.array?.map(ImpactLine.init(json:)),
      let rest = json["rest"]?.string.flatMap(Impact.Rest.init(rawValue:))
    else { return nil }
    self.init(
      ledger: ledger, file: file, command: command.compactMap(\.self), files: files.compactMap(\.self),
      author: author, reason: json["reason"]?.string, made: made, head: head, generations: generations,
      rows: rows,
      effect: effect.compactMap(\.self), rest: rest)
    guard self.json == json else { return nil }
  }
}

/// A plan with the signatures of those who agreed to it.
package struct SignedPlan: Sendable, Equatable {
  package let plan: Plan
  /// The same, as the event that applies it has it.
  package private(set) var applied: AppliedPlan

  package var bytes: [UInt8] { applied.bytes }

  /// The SHA-256 of those bytes, in hexadecimal: the name under which the plan is recorded.
  package var digest: String { SHA256.hexadecimal(of: bytes) }

  package init(_ plan: Plan) {
    self.plan = plan
    applied = AppliedPlan(plan: plan.json, signatures: [])
  }

  /// Reads what an event says; nil for anything that pawl would not have written.
  init?(_ applied: AppliedPlan) {
    guard let plan = Plan(json: applied.plan), applied.signatures.count <= Plan.mostSignatures else {
      return nil
    }
    (self.plan, self.applied) = (plan, applied)
  }

  /// Reads a plan file; nil for anything else.
  package init?(json: JSON) {
    guard let applied = AppliedPlan(json: json) else { return nil }
    self.init(applied)
  }

  /// The keys that signed; nil if someone altered the plan after it was signed.
  package var keys: Set<String>? { applied.keys }

  /// Adds a signature, once for each key; false if it is not good over this plan, or there are too many.
  package mutating func add(_ signature: String) -> Bool {
    guard let read = SSHSignature(signature), read.isGood(over: bytes, namespace: Plan.namespace) else {
      return false
    }
    if applied.signatures.contains(where: { $0.key == read.key.text }) { return true }
    guard applied.signatures.count < Plan.mostSignatures else { return false }
    applied = AppliedPlan(
      plan: applied.plan,
      signatures: applied.signatures + [AppliedPlan.Signature(key: read.key.text, signature: signature)])
    return true
  }
}

extension [AppliedPlan.Signature] {
  /// The keys that signed some bytes; nil if a signature is not good, or was made with a key other than the one it names.
  func keys(over bytes: [UInt8], namespace: String) -> Set<String>? {
    let isGood = allSatisfy { one in
      guard let read = SSHSignature(one.signature) else { return false }
      return read.key.text == one.key && read.isGood(over: bytes, namespace: namespace)
    }
    return isGood ? Set(map(\.key)) : nil
  }
}

extension AppliedPlan {
  /// Nil if a signature is not good, or was made with a key other than the one it names.
  package var keys: Set<String>? { signatures.keys(over: bytes, namespace: Plan.namespace) }

  var subject: String { "plan/\(SHA256.hexadecimal(of: bytes))" }
}
