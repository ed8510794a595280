package import JSON

/// A plan as recorded by the event that applies it.
package struct AppliedPlan: Sendable, Equatable {
  /// A signature of something that pawl wrote, and the key that made it.
  package struct Signature: Sendable, Equatable {
    /// The public key, as OpenSSH writes it: `ssh-ed25519 AAAA…`.
    package let key: String
    /// The output of `ssh-keygen -Y sign`.
    package let signature: String

    package init(key: String, signature: String) {
      self.key = key
      self.signature = signature
    }

    /// Reads a signature; nil for anything that pawl would not have written.
    package init?(json: JSON) {
      guard let key = json["key"]?.string, let signature = json["signature"]?.string else { return nil }
      self.init(key: key, signature: signature)
      guard self.json == json else { return nil }
    }

    package var json: JSON { ["key": .string(key), "signature": .string(signature)] }
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
    guard let plan = json["plan"], plan.object != nil, let listed = json["signatures"]?.array else {
      return nil
    }
    self.init(plan: plan, signatures: listed.compactMap(Signature.init(json:)))
    guard self.json == json else { return nil }
  }

  package var json: JSON { ["plan": plan, "signatures": .array(signatures.map(\.json))] }

  package var bytes: [UInt8] { plan.bytes() }
}
