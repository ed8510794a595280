import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Changing {
  /// Writes the plan of a change, as it was found that it would be recorded.
  func writePlan(of invocation: Invocation<PawlContext>, _ recorded: Recorded) throws {
    guard let file = options.plan, var outlined = recorded.planned, !outlined.rows.isEmpty else {
      if options.common.isJSON { return try print(recorded, [("plan", .null)]) }
      let words = "Nothing would change; no plan was written.\n"
      return try options.plan == "-" ? context.note(words) : context.print(words)
    }
    var words = try PlanWords.words(of: invocation, now: outlined.made, context)
    if let omitted = outcome.omitted { words.insert(omitted, at: invocation.call.path.count) }
    (outlined.command, outlined.files) = (words, try carriedFiles())
    (outlined.author, outlined.reason) = (recording().actor, invocation.value(of: "--reason"))
    let plan = SignedPlan(outlined)
    guard SignedPlan(json: plan.applied.json) != nil, PlanFiles.bytes(of: plan).count <= Plan.mostFileBytes
    else { throw CommandFailure("plan.too-large") }
    if file == "-" { return try context.writeOutput(PlanFiles.bytes(of: plan)) }
    let lost = try PlanFiles.write(plan, to: file)
    if lost > 0 {
      context.note(
        "note: \(quoted(file)) was another plan, with \(lost) \(lost == 1 ? "signature" : "signatures")\n")
    }
    let expires = plan.plan.expires.text
    if options.common.isJSON {
      let said: JSON = [
        "file": .string(file), "sha256": .string(plan.digest), "expires": .string(expires),
      ]
      return try print(recorded, [("plan", said)])
    }
    let needed = recorded.answer["approvals"]?["needed"]?.integer
    try context.print(
      context.page(
        "Wrote the plan \(quoted(file)); nothing is recorded. It can be applied until \(context.text(plan.plan.expires)).\n"
          + (needed.map { "It needs \($0) \($0 == 1 ? "approval" : "approvals").\n" } ?? "")
          + ReleaseText.warnings(outcome.warnings)
          + ShownPlan.effect(
            of: plan.plan, context, ledger, more: options.moreRanges, showsAll: options.showsAll)
          + DocumentExport.foreseen(foreseen([ImpactLine](of: recorded.answer["impact"]), outcome.warnings))
          + "\n"
          + "next: pawl plan \(needed == nil ? "apply" : "sign") \(printable(file, limit: 200))\n"))
  }

  private func carriedFiles() throws -> [Plan.File] {
    let files = task?.files ?? []
    guard files.reduce(0, { $0 + $1.bytes.count }) <= Plan.mostBytes else {
      throw CommandFailure("plan.too-large")
    }
    return files
  }
}

extension Approvals {
  func failure(command: String, isPlan: Bool) -> CommandFailure {
    CommandFailure(
      isPlan ? "approvals.required/plan" : "approvals.required",
      [
        "command": command, "why": needs.first?.words ?? "",
        "count": "\(needed) \(needed == 1 ? "approval" : "approvals")",
        "names": names.isEmpty ? "no trusted signer" : names.joined(separator: ", "),
        "others": needed == 1 ? "a signer" : "\(needed) signers",
        "known": signers.isEmpty ? "none yet" : signers.joined(separator: ", "),
      ],
      details: [
        "impact": impact.json, "needed": .integer(Int64(needed)), "agreed": names.json,
        "signers": signers.json, "needs": needs.map(\.rawValue).json,
      ])
  }
}

extension Need {
  var words: String {
    switch self {
    case .forces: "clients would be forced to update"
    case .stricter: "clients that see no prompt today would be prompted"
    case .page: "clients would be sent to another page"
    case .neverShipped: "it declares that a recorded release was never uploaded to App Store Connect"
    case .expiring: "clients would be forced to a build that soon stops opening"
    case .mandatory: "the release would force every version below it"
    case .hold: "there would be less time to object before a release is visible"
    case .countries: "fewer stores would have to show a release"
    case .liveBy: "a lookup would mark releases live"
    case .appleID: "mails and answers about another of Apple's apps would count for this one"
    case .asksSince: "it changes which versions pawl believes never check for updates"
    case .past: "versions that are not recorded would count as never shipped"
    case .rejected: "the ledger has the release as rejected"
    case .retires: "clients of it would no longer be sent elsewhere"
    case .setting: "released clients would get another value of a setting, or none"
    case .trust: "it changes who or what the ledger trusts"
    case .undo: "it takes back what was recorded"
    case .takeOver: "clients would be told what this file says, and no longer what they are told now"
    }
  }
}
