import CommandLineKit
import Crypto
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var trustSigner: Command {
    .change(
      "signer", summary: "Trust a person's SSH key to approve plans",
      discussion: """
        KEY is a public key such as the line of ~/.ssh/id_ed25519.pub, or the name of a file that holds it. A person has \
        one key; naming another replaces it. Two names never share a key.
        """,
      examples: [
        .init("pawl trust signer release-lead@example.com ~/.ssh/id_ed25519.pub", "from a file"),
        .init("pawl trust signer contractor@example.com contractor.pub --until 90d", "for three months"),
      ]
    ) {
      (
        .argument("NAME", .signerName, help: "Who it is"),
        .argument(
          "KEY", .line.naming(.input, unless: { @Sendable in SSHPublicKey($0) != nil }),
          help: "The public key, or a file that holds it; - for standard input"),
        .option("--until", "TIME", .time(.end), help: "When trust in the key ends, or after how long"),
        .zoneOfTimes
      )
    } run: { changing, name, written, until, zone in
      let context = changing.context
      let key = try SSHPublicKey(written) ?? readKey(written, context)
      let until = try until?.moment(now: context.clock(), zone, context)
      if let until, until <= context.clock() {
        throw UsageError("usage.invalid/past")
      }
      return try changing.trust(
        Trust(kind: .signer, value: name, key: key.text, until: until), covering: [key.text],
        "\(until.map { " until \($0.text)" } ?? "") to approve plans, with \(key.fingerprint)")
    }
  }

  static var trustApprovals: Command {
    .change(
      "approvals", summary: "Require several signers to approve what needs agreement",
      discussion: """
        From then on, a change that makes an answer stricter, or could, is recorded only with 'pawl plan apply', from a \
        plan that N trusted signers signed. More lenient changes, 'stop' and proved evidence need no approval; 0 ends it.
        """,
      examples: [.init("pawl trust approvals 2", "two people must agree")]
    ) {
      .argument("N", .integer(0...Trust.mostApprovals), help: "How many; 0 for none")
    } run: { changing, count in
      let (context, change) = (changing.context, changing.options)
      let ledger = try change.plan == nil ? change.open(context) : change.common.open(context)
      let (trusts, now) = (try ledger.trusts(), try ledger.now(clock: context.clock()))
      // Where approvals are required already, it is the signers who agree.
      let asks = count > 0 && trusts.approvals == 0 && count == trusts.signers(at: now).count
      if asks {
        try changing.ask(
          "approvals would need every signer: one lost key would block them all",
          key: "confirm.required/signers")
      }
      return try changing.run(on: ledger) { draft in
        let trust = Trust(kind: .approvals, value: String(count))
        draft.trust(trust, count > 0)
        return Outcome(
          [("trust", trust.json)],
          count == 0
            ? "Changes no longer need approval.\n"
            : "From now on, a change that needs approval needs \(count) trusted \(count == 1 ? "signer" : "signers").\n",
          same: "No change")
      }
    }
  }
}

private func readKey(_ file: String, _ context: PawlContext) throws -> SSHPublicKey {
  // A line that begins like a key is not the name of a file.
  let isKey = ["ssh-", "ecdsa-", "sk-"].contains { file.hasPrefix($0) } && file.contains(" ")
  let lines =
    isKey
    ? []
    : String(decoding: try context.readGiven(file, limit: 1 << 16), as: UTF8.self).split(separator: "\n")
  guard lines.count == 1, let key = lines.first.flatMap({ SSHPublicKey(String($0)) }) else {
    throw CommandFailure("trust.key-malformed", ["file": file])
  }
  return key
}

extension ValueType where Value == String {
  static var signerName: Self {
    reading("trust.signer-name") { Trust.isSignerName($0) ? $0 : nil }
  }
}
