import Crypto
package import ReleaseModel

/// Verifies DKIM signatures (RFC 6376) with pinned keys only: without look-ups, a verdict depends only on
/// what is here.
package struct DKIMVerifier: Sendable {
  package static let maximumSignatures = 10
  /// How far ahead a signature's time may be, since clocks differ.
  package static let tolerance = TimeSpan(seconds: 600)
  /// The smallest RSA key (RFC 8301 §3.2).
  package static let minimumBits = 1024

  private let keys: [PinnedKey]

  package init(keys: [PinnedKey]) { self.keys = keys }

  /// The verdict on each signature of a mail, from the top.
  package func verdicts(
    on message: RawMessage, now: Timestamp
  ) throws(DKIMFailure) -> [Result<DKIMSignature, DKIMFailure>] {
    let fields = message.header.all("dkim-signature")
    guard !fields.isEmpty else { throw .noSignature }
    guard fields.count <= DKIMVerifier.maximumSignatures else { throw .tooManySignatures }
    let hashes = message.bodyHashes
    return fields.map { field in
      Result { () throws(DKIMFailure) in
        let signature = try DKIMSignature(field)
        try verify(signature, in: message, hashes, now: now)
        return signature
      }
    }
  }

  /// The first signature that holds and meets a demand, or the failure that came closest.
  package func verify(
    _ message: RawMessage, now: Timestamp, _ demand: (DKIMSignature) throws(DKIMFailure) -> Void = { _ in }
  ) throws(DKIMFailure) -> DKIMSignature {
    var failure = DKIMFailure.noSignature
    for verdict in try verdicts(on: message, now: now) {
      do throws(DKIMFailure) {
        let pass = try verdict.get()
        try demand(pass)
        return pass
      } catch {
        failure = max(failure, error)
      }
    }
    throw failure
  }

  private func verify(
    _ signature: DKIMSignature, in message: RawMessage, _ hashes: [Canonicalization: [UInt8]], now: Timestamp
  ) throws(DKIMFailure) {
    guard !signature.hasLength else { throw .lengthTag }
    let named = keys.filter { $0.domain == signature.domain && $0.selector == signature.selector }
    guard !named.isEmpty else { throw .unknownSelector }
    if let expires = signature.expires, expires < now { throw .expired }
    if let signedAt = signature.signedAt, now + DKIMVerifier.tolerance < signedAt { throw .futureSignature }
    guard hashes[signature.bodyForm] == signature.bodyHash else { throw .bodyHashMismatch }
    let input = signedInput(signature, message.header)
    var failure = DKIMFailure.badSignature
    // A selector may be pinned twice while its owner changes keys.
    for pinned in named {
      do {
        let key = try usable(pinned, for: signature)
        // RFC 8463 §3: Ed25519 signs the hash, RSA hashes for itself.
        let message = key.algorithm == .ed25519 ? SHA256.digest(of: input) : input
        if key.verify(signature: signature.signature, message: message) { return }
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private func usable(_ pinned: PinnedKey, for signature: DKIMSignature) throws(DKIMFailure) -> PublicKey {
    guard let key = pinned.key else { throw .revokedKey }
    guard !pinned.isTest else { throw .testKey }
    guard key.algorithm == signature.algorithm, pinned.isForMail else { throw .keyNotForThis }
    if pinned.isStrict, let owner = signature.identityDomain, owner != signature.domain {
      throw .keyNotForThis
    }
    guard key.algorithm != .rsa || key.bits >= DKIMVerifier.minimumBits else { throw .keyTooShort }
    return key
  }

  /// The bytes that a signature covers: the named fields, taken from the bottom up (§5.4.2), then its own
  /// field.
  private func signedInput(_ signature: DKIMSignature, _ header: Header) -> [UInt8] {
    var waiting: [String: [HeaderField]] = [:]
    for field in header.fields { waiting[field.key, default: []].append(field) }
    var input: [UInt8] = []
    for name in signature.signedFields {
      guard let field = waiting[name]?.popLast() else { continue }
      input += signature.headerForm.header(field)
    }
    return input + signature.signedForm()
  }
}

extension RawMessage {
  /// The SHA-256 of the body in each canonical form.
  var bodyHashes: [Canonicalization: [UInt8]] {
    Dictionary(
      uniqueKeysWithValues: [.simple, .relaxed].map { ($0, SHA256.digest(of: $0.body(body))) })
  }
}

/// Why a mail has no DKIM signature that counts, in the order of how far verification got; the raw values never
/// change, and docs/reasons.md says what each means.
package enum DKIMFailure: String, Error, Sendable, Ranked {
  case noSignature = "no-signature"
  /// More signatures than are examined; each one costs work here, but none for the sender.
  case tooManySignatures = "too-many-signatures"
  /// RFC 6376 §3.5.
  case malformedSignature = "malformed-signature"
  /// Such as rsa-sha1 (RFC 8301).
  case unknownAlgorithm = "unknown-algorithm"
  case unknownSelector = "unknown-selector"
  /// Only the front of the body is signed, so anyone may have added to it (RFC 6376 §8.2).
  case lengthTag = "length-tag"
  case expired
  case futureSignature = "future-signature"
  case bodyHashMismatch = "body-hash-mismatch"
  case revokedKey = "revoked-key"
  case testKey = "test-key"
  /// The pinned key is for another algorithm than the signature's, or not for mail, or not for SHA-256.
  case keyNotForThis = "key-not-for-this"
  /// RFC 8301 §3.2.
  case keyTooShort = "key-too-short"
  /// Or another key signed it.
  case badSignature = "bad-signature"
  /// The signature holds, but the domain is not that of From.
  case wrongDomain = "wrong-domain"
  case missingSignedHeader = "missing-signed-header"
}
