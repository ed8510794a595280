import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var plan: Command {
    Command(
      "plan", summary: "Show, sign and apply plans of changes",
      discussion: """
        A plan is a change put together with --plan FILE, and not recorded: the command, the files it reads, what it \
        touches and what clients would be told. People review it, sign it with their SSH keys, and someone applies \
        it, once.
        """, subcommands: { [planShow, planSign, planApply] })
  }

  private static var planShow: Command {
    Command(
      "show", reach: .remote, isReadOnly: true, no: "the plan can no longer be applied",
      summary: "Show what a plan would do, whether it can still be applied, and who signed it",
      examples: [
        .init("pawl plan show change.plan", "what it would do, and whether it can still be applied"),
        .init("pawl plan show change.plan --markdown", "as a comment in a pull request"),
        .init("pawl plan show change.plan --bytes > bytes", "what is signed, for 'ssh-keygen -Y verify'"),
      ]
    ) {
      (
        .argument("FILE", .input, help: "The plan; - for standard input"),
        .flag("--bytes", help: "Print the bytes that are signed, and nothing else", forPrograms: true),
        .flag("--all", help: "List every range of versions"), .tabular
      )
    } run: { context, file, isBytes, showsAll, common in
      try UsageError.demand(!isBytes || !common.isJSON, together: "--bytes and --json")
      let signed = try PlanFiles.read(file, context)
      if isBytes {
        try context.writeOutput(context.isOutputTerminal ? JSON.escapingControls(signed.bytes) : signed.bytes)
        return .success
      }
      let shown = try ShownPlan(signed, common, context)
      try common.print(shown.json, context) { shown.text(context, showsAll: showsAll) }
      return shown.isRefused ? .refused : .success
    }
  }

  private static var planSign: Command {
    Command(
      "sign", reach: .caller, summary: "Approve a plan with your SSH key",
      discussion: """
        Runs 'ssh-keygen -Y sign' in the namespace pawl-plan@v1, so that keys of ssh-agent and hardware keys work, and \
        adds the signature to the file. Needs no ledger. Signing twice changes nothing. Shows first what is signed; \
        'pawl plan show FILE' shows all of the plan.
        """,
      examples: [.init("pawl plan sign change.plan --key ~/.ssh/id_ed25519", "you approve it")]
    ) {
      (
        .argument("FILE", .path, help: "The plan"),
        .option("--key", "FILE", .path, help: SSHKeygen.help),
        .common
      )
    } run: { context, file, key, common in
      let asked = try PlanFiles.read(file, context)
      guard asked.keys != nil else { throw Refusal("plan.altered") }
      _ = try PlanWords.invocation(of: asked.plan, context)
      if !common.isJSON { context.note(context.page(ShownPlan.whatIsSigned(asked, context))) }
      let key = try key ?? SSHKeygen.usualKey(context)
      let signature = try SSHKeygen.sign(
        asked.bytes, namespace: Plan.namespace, key: key, isJSON: common.isJSON, context)
      guard let (plan, isNew) = try PlanFiles.add(signature, to: asked, at: file) else {
        throw CommandFailure("plan.signature", ["key": key])
      }
      let count = plan.applied.signatures.count
      let json: JSON = [
        "changed": .bool(isNew), "signatures": .integer(Int64(count)),
        "sha256": .string(plan.digest),
      ]
      let shown = try? ShownPlan(plan, common, context)
      let signer = shown?.signer(of: signature) ?? "key '\(printable(key, limit: 200))'"
      let next =
        shown?.next(file) ?? "pawl plan show \(printable(file, limit: 200))"
      return try common.print(json, context) {
        (isNew ? "Signed" : "You signed this plan already") + " with \(signer).\n"
          + "\(count) \(count == 1 ? "signature" : "signatures") in '\(printable(file, limit: 200))'\n"
          + "next: \(next)\n"
      }
    }
  }

  private static var planApply: Command {
    .change(
      "apply", summary: "Record the change of a plan",
      discussion: """
        Refused if the plan has expired, was already applied, is for another ledger, was altered after it was signed, \
        or would now do something other than what it says. If the ledger requires approvals, enough trusted signers \
        must have signed it; if not, it asks as the command would.
        """,
      examples: [
        .init("pawl plan apply change.plan", "what enough people signed"),
        .init("pawl plan apply - --ledger ssh://ledger.example.com < change.plan", "on another host"),
      ], options: .unplannedChange
    ) {
      .argument("FILE", .input, help: "The plan; - for standard input")
    } run: { changing, file in
      let context = changing.context
      let signed = try PlanFiles.read(file, context)
      let invocation = try PlanWords.invocation(of: signed.plan, context)
      try context.gate?.check(planned: invocation)
      if changing.options.reason != nil, !changing.options.common.isJSON {
        context.note("note: the plan's own reason is recorded, not this one\n")
      }
      return try signed.run(invocation, for: PlanTask(applying: signed, changing.options), context)
    }
  }
}

extension SignedPlan {
  /// Runs the plan's command to record its change, or to find out whether it could be recorded.
  func run(
    _ command: Invocation<PawlContext>, for task: PlanTask, _ context: PawlContext
  ) throws -> ExitCode {
    let earlier = context.planTask
    context.planTask = task
    defer { context.planTask = earlier }
    do {
      return try command.run(context)
    } catch let error {
      switch error {
      case is Refusal, LedgerError.noApp, is UsageError, is CommandFailure:
        let said = report(error)
        // What is asked, of a person or of signers, and what the plan itself lacks is said as it is; nothing else was
        // refused when the plan was made.
        let isOfPlan = ["plan.", "confirm.", "approvals."].contains { said.id.hasPrefix($0) }
        guard !isOfPlan, [1, 64, 65, 66].contains(said.exit.rawValue) else { throw error }
        throw Refusal.stale("it is refused now: \(said.message)")
      default: throw error
      }
    }
  }
}
