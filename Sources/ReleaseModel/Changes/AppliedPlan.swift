package import JSON

/// A plan as recorded by the event that applies it.
package struct AppliedPlan: Sendable, Equatable {
  /// One person's agreement.
  package struct Signature: Sendable, Equatable {
    /// The public key, as OpenSSH writes it: `ssh-ed25519 AAAA…`.
    package let key: String
    /// The output of `ssh-keygen -Y sign`.
    package let signature: String

    package init(key: String, signature: String) {
      self.key = key
      self.signature = signature
    }
  }

  /// The signed part, written as JSON with sorted keys and no whitespace.
  package let plan: JSON
  package let signatures: [Signature]

  package init(plan: JSON, signatures: [Signature]) {
    self.plan = plan
    self.signatures = signatures
  }

  /// Reads a plan file's object; nil for anything else, even if it has just one member too many.
  package init?(json: JSON) {
    guard let members = json.object?.members, members.map(\.key) == ["plan", "signatures"],
      let plan = json["plan"], plan.object != nil, let listed = json["signatures"]?.array
    else { return nil }
    var signatures: [Signature] = []
    for one in listed {
      guard one.object?.members.map(\.key) == ["key", "signature"], let key = one["key"]?.string,
        let signature = one["signature"]?.string
      else { return nil }
      signatures.append(Signature(key: key, signature: signature))
    }
    self.init(plan: plan, signatures: signatures)
  }

  package var json: JSON {
    [
      "plan": plan,
      "signatures": .array(
        signatures.map { ["key": .string($0.key), "signature": .string($0.signature)] }),
    ]
  }

  package var bytes: [UInt8] { plan.bytes() }
}
