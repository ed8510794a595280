/// Why a mail has no DKIM signature that counts; the raw values never change, and docs/reasons.md says what
/// each means.
package enum DKIMFailure: String, Error, Sendable, CaseIterable {
  case noSignature = "no-signature"
  /// More signatures than are examined; each one costs work here, but none for the sender.
  case tooManySignatures = "too-many-signatures"
  /// RFC 6376 §3.5.
  case malformedSignature = "malformed-signature"
  /// Such as rsa-sha1 (RFC 8301).
  case unknownAlgorithm = "unknown-algorithm"
  case unknownSelector = "unknown-selector"
  /// The pinned key is for another algorithm than the signature's, or not for mail, or not for SHA-256.
  case keyNotForThis = "key-not-for-this"
  case revokedKey = "revoked-key"
  case testKey = "test-key"
  /// RFC 8301 §3.2.
  case keyTooShort = "key-too-short"
  /// Only the front of the body is signed, so anybody may have added to it (RFC 6376 §8.2).
  case lengthTag = "length-tag"
  case bodyHashMismatch = "body-hash-mismatch"
  /// Or another key signed it.
  case badSignature = "bad-signature"
  case expired
  case futureSignature = "future-signature"
  case missingSignedHeader = "missing-signed-header"
  /// The signature holds, but the domain is not that of From.
  case wrongDomain = "wrong-domain"
}
