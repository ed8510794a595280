extension Sequence<Trust> {
  /// How many signers must agree to a change that needs agreement; 0 if none have to.
  package var approvals: Int {
    first { $0.kind == .approvals }.flatMap { Int($0.value) } ?? 0
  }

  /// The signers who are trusted at a moment.
  package func signers(at moment: Timestamp) -> [Trust] {
    filter { $0.kind == .signer && $0.until.map { moment < $0 } ?? true }
  }

  /// The names of the signers at a moment whose keys are among the given ones, each once.
  package func names(signingWith keys: Set<String>, at moment: Timestamp) -> Set<String> {
    Set(signers(at: moment).filter { $0.key.map(keys.contains) ?? false }.map(\.value))
  }
}

extension Sequence<Trust> {
  /// Reports that fewer signers are trusted than must agree, or soon will be; nil if there are enough.
  package func agreementFinding(now: Timestamp) -> Finding? {
    let (needed, counting) = (approvals, signers(at: now))
    guard needed > 0 else { return nil }
    guard needed <= counting.count else {
      return Finding(
        id: "signers.too-few", app: "",
        message:
          "approvals need \(needed) signers, and only \(counting.count) still count",
        hint:
          "nothing that needs approval can be approved in this ledger; 'stop' and more lenient changes still work"
      )
    }
    let ends = counting.compactMap(\.until).sorted()
    let spare = counting.count - needed
    guard spare < ends.count, ends[spare] <= now + Trust.agreementNotice else { return nil }
    return Finding(
      id: "signers.expire", app: "",
      message: "approvals need \(needed) signers, and from \(ends[spare].text) on only "
        + "\(signers(at: ends[spare]).count) still count",
      hint: "agree to 'pawl trust signer NAME KEY --until TIME --plan FILE' while enough still can")
  }
}

extension Trust {
  /// How long before there are too few signers somebody is warned.
  static let agreementNotice = TimeSpan(seconds: 14 * 86_400)

  package static let mostApprovals = 99

  /// Whether a text may name a signer: what ssh-keygen's list takes as a principal without quotes.
  package static func isSignerName(_ text: String) -> Bool {
    text.isWord(of: 1...64, marks: "-._@")
  }
}
