/// Why a mail has no DKIM signature that counts.
package enum DKIMFailure: Error, Sendable, Equatable {
  /// No DKIM-Signature field.
  case noSignature
  /// More signatures than are examined; each one costs work here, but none for the sender.
  case tooManySignatures
  /// A field that does not follow the grammar of RFC 6376 §3.5.
  case malformedSignature
  /// A signing algorithm that is not supported here, such as rsa-sha1 (RFC 8301).
  case unknownAlgorithm(String)
  /// No key is pinned for the domain and selector.
  case unknownSelector(domain: String, selector: String)
  /// The pinned key is for another algorithm than the signature's, or not for mail, or not for SHA-256.
  case keyNotForThis
  /// The pinned record says the key is revoked.
  case revokedKey
  /// The pinned record says the domain is only testing DKIM.
  case testKey
  /// An RSA key of fewer than 1024 bits (RFC 8301 §3.2).
  case keyTooShort(bits: Int)
  /// Only the front of the body is signed, so anybody may have added to it (RFC 6376 §8.2).
  case lengthTag
  /// The body is not the one that was signed.
  case bodyHashMismatch
  /// The header is not the one that was signed, or another key signed it.
  case badSignature
  /// The signature has expired.
  case expired
  /// The signature is from the future.
  case futureSignature
  /// Fields that have to be signed are not.
  case missingSignedHeader([String])
  /// The signature holds, but the domain is not that of From.
  case wrongDomain(String)

  /// The failures without their details, by short names that never change.
  package enum Kind: String, Sendable, CaseIterable {
    case noSignature = "no-signature"
    case tooManySignatures = "too-many-signatures"
    case malformedSignature = "malformed-signature"
    case unknownAlgorithm = "unknown-algorithm"
    case unknownSelector = "unknown-selector"
    case keyNotForThis = "key-not-for-this"
    case revokedKey = "revoked-key"
    case testKey = "test-key"
    case keyTooShort = "key-too-short"
    case lengthTag = "length-tag"
    case bodyHashMismatch = "body-hash-mismatch"
    case badSignature = "bad-signature"
    case expired
    case futureSignature = "future-signature"
    case missingSignedHeader = "missing-signed-header"
    case wrongDomain = "wrong-domain"
  }

  package var kind: Kind {
    switch self {
    case .noSignature: .noSignature
    case .tooManySignatures: .tooManySignatures
    case .malformedSignature: .malformedSignature
    case .unknownAlgorithm: .unknownAlgorithm
    case .unknownSelector: .unknownSelector
    case .keyNotForThis: .keyNotForThis
    case .revokedKey: .revokedKey
    case .testKey: .testKey
    case .keyTooShort: .keyTooShort
    case .lengthTag: .lengthTag
    case .bodyHashMismatch: .bodyHashMismatch
    case .badSignature: .badSignature
    case .expired: .expired
    case .futureSignature: .futureSignature
    case .missingSignedHeader: .missingSignedHeader
    case .wrongDomain: .wrongDomain
    }
  }

  /// A short name that never changes.
  package var id: String { kind.rawValue }
}
