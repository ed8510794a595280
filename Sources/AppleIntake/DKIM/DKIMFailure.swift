/// Why a mail has no DKIM signature that counts; the raw values are short names that never change.
package enum DKIMFailure: String, Error, Sendable, CaseIterable {
  /// No DKIM-Signature field.
  case noSignature = "no-signature"
  /// More signatures than are examined; each one costs work here, but none for the sender.
  case tooManySignatures = "too-many-signatures"
  /// A field that does not follow the grammar of RFC 6376 §3.5.
  case malformedSignature = "malformed-signature"
  /// A signing algorithm that is not supported here, such as rsa-sha1 (RFC 8301).
  case unknownAlgorithm = "unknown-algorithm"
  /// No key is pinned for the domain and selector.
  case unknownSelector = "unknown-selector"
  /// The pinned key is for another algorithm than the signature's, or not for mail, or not for SHA-256.
  case keyNotForThis = "key-not-for-this"
  /// The pinned record says the key is revoked.
  case revokedKey = "revoked-key"
  /// The pinned record says the domain is only testing DKIM.
  case testKey = "test-key"
  /// An RSA key of fewer than 1024 bits (RFC 8301 §3.2).
  case keyTooShort = "key-too-short"
  /// Only the front of the body is signed, so anybody may have added to it (RFC 6376 §8.2).
  case lengthTag = "length-tag"
  /// The body is not the one that was signed.
  case bodyHashMismatch = "body-hash-mismatch"
  /// The header is not the one that was signed, or another key signed it.
  case badSignature = "bad-signature"
  /// The signature has expired.
  case expired
  /// The signature is from the future.
  case futureSignature = "future-signature"
  /// Fields that have to be signed are not.
  case missingSignedHeader = "missing-signed-header"
  /// The signature holds, but the domain is not that of From.
  case wrongDomain = "wrong-domain"
}
