import CommandLineKit
import Crypto
import JSON
import Ledger
import Platform
import ReleaseModel

/// A plan as `plan show` presents it: what it says, whether it can still be applied, and who signed it.
struct ShownPlan {
  private let signed: SignedPlan
  /// Why it cannot be applied, apart from missing signatures; nil if it can.
  private let why: CommandFailure?
  private let signers: [(name: String?, key: String)]
  private var ledger: Ledger?
  /// Why the ledger could not be asked; nil if it was.
  private var unasked: CommandFailure?
  /// How many people must agree; nil if the ledger could not be read to find out.
  private let needed: Int?

  init(_ signed: SignedPlan, _ common: CommonOptions, _ context: PawlContext) throws {
    self.signed = signed
    var why: CommandFailure? = signed.keys == nil ? CommandFailure("plan.altered") : nil
    var trusts: [Trust] = []
    var now = context.clock()
    var needed: Int?
    do {
      let ledger = try common.open(context)
      self.ledger = ledger
      trusts = try ledger.trusts()
      now = try ledger.now(clock: now)
      needed = trusts.approvals
    } catch let error as LedgerError {
      let failure = report(error)
      guard failure.exit != .busy else { throw failure }
      if why == nil { unasked = failure }
    }
    if why == nil, unasked == nil {
      do {
        needed = Int(try signed.rehearse(common, context).answer["approvals"]?["needed"]?.integer ?? 0)
      } catch {
        why = report(error)
      }
    }
    self.why = why
    self.needed = needed
    // If a plan was altered, no one signed what it says now.
    let trusted = signed.keys == nil ? [] : trusts.signers(at: now)
    signers = signed.applied.signatures.map { one in
      (trusted.first { $0.key == one.key }?.value, one.key)
    }
  }

  var json: JSON {
    [
      "plan": signed.applied.plan, "holds": .bool(holds), "why": .optional((why ?? unasked)?.id),
      "reason": .optional((why ?? unasked)?.message),
      "signers": .array(signers.map { ["name": .optional($0.name), "key": .string($0.key)] }),
      "needed": .integer(Int64(needed ?? 0)), "sha256": .string(signed.digest),
    ]
  }

  /// Whether the ledger was asked, and would take it.
  var holds: Bool { why == nil && unasked == nil }

  /// Whether it can no longer be applied.
  var isRefused: Bool { why != nil }

  /// Whose key made a signature: a trusted signer's name, else the key.
  func signer(of signature: String) -> String? {
    guard let key = SSHSignature(signature)?.key.text else { return nil }
    return signers.first { $0.key == key }?.name.map { "the key of \($0)" } ?? "the key \(key)"
  }

  /// What comes next for a plan that still holds; nil for another, and without the ledger.
  func next(_ file: String) -> String? {
    guard holds, let needed else { return nil }
    let missing = needed - Set(signers.compactMap(\.name)).count
    let file = printable(file, limit: 200)
    return missing <= 0
      ? "pawl plan apply \(file)"
      : "pawl plan sign \(file), by \(missing) more \(missing == 1 ? "signer" : "signers")"
  }

  private var plan: Plan { signed.plan }

  /// What a signature agrees to: the command, its effect, or else the rows that it alters, and the hash of the signed bytes.
  static func whatIsSigned(
    _ signed: SignedPlan, _ context: PawlContext, more: String = "pawl plan show FILE --all"
  ) -> String {
    "command  \(printable(command(of: signed.plan)))\nsha256   \(signed.digest)\n"
      + effect(of: signed.plan, context, more: more) + "\n"
      + (signed.plan.effect.contains(where: \.isNoticed) ? "" : changes(of: signed.plan, context))
  }

  private static func command(of plan: Plan) -> String {
    let options = plan.command.prefix { $0 != "--" }
    let words = options.flatMap { word -> [String] in
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      // A value that looks like an option stays with its own.
      return word.hasPrefix("--") && parts.last?.hasPrefix("-") == false ? parts : [word]
    }
    return (["pawl"] + words + plan.command[options.endIndex...]).map(ShellWords.quoted).joined(
      separator: " ")
  }

  private func facts(_ context: PawlContext) -> [(String, String?)] {
    [
      ("command", ShownPlan.command(of: plan)), ("reason", plan.reason ?? "none given"),
      ("author", Actor(plan.author).text), ("made", context.text(plan.made)),
      ("expires", context.text(plan.expires)), ("ledger", plan.ledger),
      ("head", "event \(plan.head["seq"]?.integer ?? 0)"), ("schedules", generations),
      ("sha256", signed.digest),
      (
        "can be applied",
        why.map { "no: \($0.message)" } ?? unasked.map { "unknown here: \($0.message)" } ?? "yes"
      ),
      ("signatures", signatures),
      // What can no longer be applied needs no one.
      ("needs", why == nil ? needed.map(ShownPlan.signers) : nil),
    ]
  }

  private var generations: String {
    let known = plan.generations.object?.members ?? []
    return known.isEmpty
      ? "none changes" : known.map { "\($0.key) of event \($0.value.integer ?? 0)" }.joined(separator: ", ")
  }

  private var signatures: String {
    if signers.isEmpty { return "none yet" }
    if signed.keys == nil { return "unknown: it was altered after it was signed" }
    // Whose key it is, and whether it is trusted, only the ledger knows.
    let stranger = unasked == nil ? "a key that is not trusted" : "a key of somebody"
    return signers.map { $0.name ?? "\(stranger) (\($0.key.prefix(40))…)" }.joined(separator: ", ")
  }

  private static func signers(_ count: Int) -> String {
    count == 0 ? "no signature" : "\(count) trusted \(count == 1 ? "signer" : "signers")"
  }

  private static func changes(of plan: Plan, _ context: PawlContext) -> String {
    plan.rows.map { row in
      let name = [row["kind"]?.string, row["app"]?.string, row["version"]?.string].compactMap { $0 }
      let fields = FieldChange.all(from: row["before"] ?? .null, to: row["after"] ?? .null)
      return "\n" + printable(name.joined(separator: " "), limit: 400) + "\n"
        + FieldChange.text(fields, context)
    }.joined()
  }

  private func texts(_ context: PawlContext) -> String {
    plan.files.map { file in
      guard !file.isSecret, let text = String(validating: file.bytes, as: UTF8.self) else { return "" }
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let shown = lines.prefix(ShownPlan.mostLines).map { "  \(printable(String($0), limit: 400))\n" }
      let left = lines.count - shown.count
      return "\n" + printable(file.name, limit: 400) + ":\n" + shown.joined()
        + (left > 0 ? "  … \(left) more \(left == 1 ? "line" : "lines"), in --json\n" : "")
    }.joined()
  }

  private static let mostLines = 40

  /// What a plan says of clients: what people notice of its effect, in every case.
  ///
  /// - Parameter showsAll: Whether it lists every range.
  static func effect(
    of plan: Plan, _ context: PawlContext, _ ledger: Ledger? = nil,
    more: String = "pawl plan show FILE --all",
    showsAll: Bool = false
  ) -> String {
    let noticed = plan.effect.filter(\.isNoticed)
    if !noticed.isEmpty {
      return Preview(
        context: context, ledger: ledger, start: (plan.made, "once applied", "once applied,"),
        showsAll: showsAll, more: more
      ).text(noticed)
    }
    return "\n" + Preview.text(plan.effect.isEmpty ? plan.rest : .details)
  }

  func text(_ context: PawlContext, showsAll: Bool) -> String {
    let files = plan.files.map { file -> (String, String?) in
      let hash = String(decoding: file.bytes, as: UTF8.self)
      return (
        "file",
        "\(file.name), "
          + (file.isSecret ? "a secret of which it holds the SHA-256 \(hash)" : "\(file.bytes.count) bytes")
      )
    }
    let shown = (facts(context) + files).map { label, text in
      (label, text.map { printable($0, limit: 2_000) })
    }
    return context.rendered(Table(facts: shown)) + ShownPlan.changes(of: plan, context) + texts(context)
      + ShownPlan.effect(of: plan, context, ledger, showsAll: showsAll)
  }
}

extension SignedPlan {
  /// Puts the plan's change together without recording it, whoever has signed it.
  ///
  /// - Parameter look: Sees what it does.
  /// - Throws: What applying it now would throw, were it signed.
  fileprivate func rehearse(
    _ common: CommonOptions, _ context: PawlContext,
    _ look: @escaping (Effects) throws -> Void = { _ in }
  ) throws -> Recorded {
    let command = try PlanWords.invocation(of: plan, context)
    let options = ChangeOptions(call: Call(path: [], words: []), common: common)
    let task = PlanTask(applying: self, options, isRehearsal: true)
    task.look = look
    _ = try run(command, for: task, context)
    // A command that records nothing cannot have been planned.
    guard let recorded = task.recorded else { throw Refusal.stale("its command does nothing") }
    return recorded
  }

  /// An app as it would be if the plan were applied now, with the ledger's last event and the moment that counts as now.
  func asked(
    _ app: String, _ common: CommonOptions, _ context: PawlContext
  ) throws -> (Snapshot, head: Int64, moment: Timestamp) {
    var asked: (Snapshot, Timestamp)?
    let recorded = try rehearse(common, context) { asked = (try $0.snapshot(app), $0.draft.now) }
    guard let (snapshot, moment) = asked else { throw Refusal.stale("its command does nothing") }
    return (snapshot, recorded.head.seq, moment)
  }
}
