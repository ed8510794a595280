import Crypto
package import JSON
package import ReleaseModel

/// A change put together but not recorded, as a file that people read, sign and apply.
package struct Plan: Sendable, Equatable {
  /// A file that the command reads, carried in the plan.
  package struct File: Sendable, Equatable {
    /// What a plan holds of a file.
    package enum Content: Sendable, Equatable {
      case bytes([UInt8])
      case secret(sha256: String)
    }

    /// The name under which the command reads it; `-` for standard input.
    package let name: String
    package let content: Content

    package init(name: String, content: Content) {
      self.name = name
      self.content = content
    }

    fileprivate var json: JSON {
      switch content {
      case .bytes(let bytes):
        String(validating: bytes, as: UTF8.self).map { ["name": .string(name), "text": .string($0)] }
          ?? ["name": .string(name), "base64": .string(Base64.encode(bytes))]
      case .secret(let sha256): ["name": .string(name), "sha256": .string(sha256)]
      }
    }

    fileprivate init?(json: JSON) {
      guard json.object?.members.count == 2, let name = json["name"]?.string else { return nil }
      self.name = name
      if let text = json["text"]?.string {
        content = .bytes(Array(text.utf8))
      } else if let bytes = json["base64"]?.string.flatMap({ Base64.decode($0.utf8) }) {
        content = .bytes(bytes)
      } else if let sha256 = json["sha256"]?.string {
        content = .secret(sha256: sha256)
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
  package private(set) var applied: AppliedPlan

  package var bytes: [UInt8] { applied.bytes }

  /// The SHA-256 of those bytes, in hexadecimal: the name under which the plan is recorded.
  package var digest: String { SHA256.hexadecimal(of: bytes) }

  package init(_ plan: Plan) {
    self.plan = plan
    applied = AppliedPlan(plan: plan.json, signatures: [])
  }

  /// Reads a plan file; nil for anything else.
  package init?(json: JSON) {
    guard let applied = AppliedPlan(json: json), let plan = Plan(json: applied.plan),
      applied.signatures.count <= Plan.mostSignatures
    else { return nil }
    self.plan = plan
    self.applied = applied
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

extension AppliedPlan {
  /// Nil if a signature is not good, or was made with a key other than the one it names.
  package var keys: Set<String>? {
    let bytes = bytes
    var keys: Set<String> = []
    for one in signatures {
      guard let read = SSHSignature(one.signature), read.key.text == one.key,
        read.isGood(over: bytes, namespace: Plan.namespace)
      else { return nil }
      keys.insert(one.key)
    }
    return keys
  }

  var subject: String { "plan/\(SHA256.hexadecimal(of: bytes))" }

  private var rows: [JSON] { plan["rows"]?.array ?? [] }

  /// The events that the plan covers, which follow its own: one for each change that it names, none if it names none.
  func covered(after seq: Int64) -> ClosedRange<Int64>? {
    let (last, isBeyond) = seq.addingReportingOverflow(Int64(rows.count))
    return rows.isEmpty || isBeyond ? nil : seq + 1...last
  }

  private func moment(_ name: String) -> Timestamp? { plan[name]?.string.flatMap { try? Timestamp($0) } }

  /// Why no command could have applied the plan at a moment; nil if one could.
  ///
  /// - Parameter ledger: The name of the ledger; nil if it has none.
  func objection(in ledger: String?, at: Timestamp) -> String? {
    if let ledger, plan["ledger"]?.string != ledger { return "the plan is for another ledger" }
    guard let made = moment("made"), let expires = moment("expires"), !rows.isEmpty else {
      return "pawl did not make the plan"
    }
    guard made.seconds - at.seconds <= Plan.clockTolerance.seconds else {
      return "the plan was made later, at \(made.text)"
    }
    return at < expires ? nil : "the plan held until \(expires.text)"
  }

  /// How an event that the plan covers differs from the change that it names; nil if it does not.
  ///
  /// - Parameters:
  ///   - change: The change of the event, as a plan names it.
  ///   - place: The event's place among those that the plan covers.
  ///   - at: When the plan was applied.
  func objection(to change: JSON, at place: Int, _ at: Timestamp) -> String? {
    // What pawl did not make is an objection of its own.
    guard rows.indices.contains(place), let made = moment("made") else { return nil }
    return Plan.difference(of: change, from: rows[place], made: made, now: at)
  }

  /// What the changes do to clients beyond what the plan says; nil if nothing.
  ///
  /// - Parameters:
  ///   - changes: The changes, as the plan names them.
  ///   - heldOn: From when to when lookups moved the ends of holds: what was to last until then lasts longer.
  func objection(
    to effect: [ImpactLine], of changes: [JSON], heldOn: [Range<Timestamp>], _ now: Timestamp
  ) -> String? {
    guard let made = moment("made") else { return nil }
    let said = (plan["effect"]?.array?.compactMap(ImpactLine.init(json:)) ?? []).map { line in
      guard let end = line.until, let held = heldOn.first(where: { $0.contains(end) }) else { return line }
      return line.lasting(until: held.upperBound)
    }
    let moved = zip(changes, rows).flatMap { change, row in
      (row["after"]?.object?.members ?? []).compactMap { member in
        Plan.movedMoment(change["after"]?[member.key], member.value, made: made, now: now)
      }
    }
    return effect.beyond(said, made: made, now: now, moved: Set(moved))?.words
  }
}

extension Plan {
  /// A change as a plan names it: the row that it touches, as it is, and what becomes of it.
  static func row(_ change: Change, app: String?, _ moved: MovedRelease) -> JSON {
    [
      "kind": .string(change.kind.rawValue), "app": .optional(app),
      "version": .optional(change.version?.text),
      "before": change.before(app: app) ?? .null, "after": change.after(app: app, moved) ?? .null,
    ]
  }

  /// How a change differs from the one that a plan names; nil if only in a new row's number, which counts up through the
  /// ledger, and in moments that count from when the change is made.
  static func difference(of found: JSON, from named: JSON, made: Timestamp, now: Timestamp) -> String? {
    let place = [found["app"]?.string, found["version"]?.string].compactMap(\.self).joined(separator: " ")
    for member in ["kind", "app", "version", "before", "after"] {
      let (side, other) = (found[member] ?? .null, named[member] ?? .null)
      guard side != other else { continue }
      guard let members = side.object?.members, let others = other.object?.members,
        member == "before" || member == "after"
      else { return "\(place): \(member) is \(shown(side)), and the plan says \(shown(other))" }
      for key in Set((members + others).map(\.key)).sorted() where side[key] != other[key] {
        let isAsFar = movedMoment(side[key], other[key], made: made, now: now) != nil
        if member == "after", key == "id" || key == "number" || isAsFar { continue }
        // A lookup that moved the end of a hold changes nothing that the plan is about.
        if key == "visibleAt" || key == "firstVisibleAt", let first = side["firstVisibleAt"], first != .null,
          first == other["firstVisibleAt"] || other["firstVisibleAt"] == .null && first == other["visibleAt"]
        {
          continue
        }
        return
          "\(place): \(key) \(member == "before" ? "is" : "would be") \(shown(side[key])), and the plan says "
          + shown(other[key])
      }
    }
    return nil
  }

  /// The moment that a plan names if what is found is as long after now as it was after the plan's making.
  fileprivate static func movedMoment(
    _ found: JSON?, _ named: JSON?, made: Timestamp, now: Timestamp
  ) -> Timestamp? {
    guard let found = found?.string.flatMap({ try? Timestamp($0) }),
      let named = named?.string.flatMap({ try? Timestamp($0) }),
      found.seconds - now.seconds == named.seconds - made.seconds
    else { return nil }
    return named
  }

  private static func shown(_ value: JSON?) -> String {
    guard let value, value != .null else { return "nothing" }
    let text = value.string ?? value.text()
    return text.utf8.count > 200 ? String(decoding: text.utf8.prefix(200), as: UTF8.self) + "…" : text
  }
}

extension ImpactLine {
  /// What it does to clients, and the plan does not say.
  fileprivate var words: String {
    let page = willBe.url.map { " with \($0)" } ?? ""
    let target = willBe.target.map { " to \($0)" } ?? ""
    let done = before < after ? after == .force ? "be forced" : "be reminded" : "be sent"
    let place = visible.map { " " + $0.words(in: app) } ?? ""
    return
      "\(app) \(range.text)\(os.map { " on \($0)" } ?? "") would \(done)\(target)\(page) from \(at.text) on\(place), "
      + "which the plan does not say"
  }
}

extension Refusal {
  /// A plan would now do something else than it says.
  package static func stale(_ difference: String) -> Refusal {
    Refusal("plan.stale", details: ["difference": .string(difference)])
  }
}
