import CLibcrypto

/// A public key as OpenSSH writes it: `ssh-ed25519 AAAA…` (RFC 4253 §6.6, RFC 5656, RFC 8709, OpenSSH
/// PROTOCOL.u2f).
///
/// Only the one encoding that OpenSSH writes is a key, and only if no one can sign without its private half.
package struct SSHPublicKey: Sendable, Hashable {
  /// The kinds of keys whose signatures can be checked here.
  package enum Kind: String, Sendable, CaseIterable {
    case ed25519 = "ssh-ed25519"
    case rsa = "ssh-rsa"
    case p256 = "ecdsa-sha2-nistp256"
    case p384 = "ecdsa-sha2-nistp384"
    case p521 = "ecdsa-sha2-nistp521"
    case hardwareEd25519 = "sk-ssh-ed25519@openssh.com"
    case hardwareP256 = "sk-ecdsa-sha2-nistp256@openssh.com"
  }

  package let kind: Kind
  /// The key in the wire format that signatures carry.
  package let blob: [UInt8]
  /// The key as libcrypto reads it: SubjectPublicKeyInfo (RFC 5280 §4.1).
  private let der: [UInt8]
  /// What keys with one private half share, in a token or not: an RSA key's modulus, whatever the exponent, or
  /// one coordinate of the point, which its negative has, too.
  package let half: [UInt8]
  /// The application that a hardware token signs for, such as `ssh:`; empty for other keys.
  let application: [UInt8]

  package var text: String { "\(kind.rawValue) \(Base64.encode(blob))" }

  /// The key's SHA-256, as `ssh-keygen -l` shows it.
  package var fingerprint: String {
    let digest = Base64.encode(SHA256.digest(of: blob))
    return "SHA256:\(digest.prefix { $0 != "=" })"
  }

  /// Reads a line such as that of `id_ed25519.pub`; nil for another kind of key, and for anything else.
  package init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
    guard words.count >= 2, let kind = Kind(rawValue: String(words[0])),
      let blob = Base64.decode(words[1].utf8)
    else { return nil }
    self.init(blob: blob)
    guard self.kind == kind else { return nil }
  }

  /// Reads a key in the wire format; nil for another kind of key or encoding, for a key that libcrypto refuses
  /// or that anyone can sign with, and for bytes after it.
  package init?(blob: [UInt8]) {
    var reader = SSHReader(blob)
    guard let name = reader.text(), let kind = Kind(rawValue: name) else { return nil }
    let (der, half): ([UInt8], [UInt8])
    switch kind {
    case .ed25519, .hardwareEd25519:
      guard let key = reader.string(), key.count == 32, !Ed25519Point.isWeak(key) else { return nil }
      der = DER.publicKey(algorithm: DER.ed25519, key: key)
      half = key.dropLast() + [key[31] & 0x7F]
    case .rsa:
      // With an exponent of 1, every message is its own signature.
      guard let exponent = reader.positiveNumber(), let modulus = reader.positiveNumber(),
        exponent.count <= 8, exponent != [1], exponent.last.map({ $0 & 1 == 1 }) == true,
        // 2048 bits or more, with the zero before a high bit; no one has more than 16,384.
        (257...2_049).contains(modulus.count)
      else { return nil }
      der = DER.publicKey(
        algorithm: DER.rsa, key: DER.sequence(DER.integer(modulus) + DER.integer(exponent)))
      half = modulus
    case .p256, .p384, .p521, .hardwareP256:
      guard let curve = reader.text(), let point = reader.string(), let known = DER.curve(named: curve),
        kind == .hardwareP256 ? curve == "nistp256" : kind.rawValue.hasSuffix(curve),
        // Uncompressed (SEC 1 §2.3.3), the only form that OpenSSH writes.
        point.first == 4, point.count % 2 == 1
      else { return nil }
      der = DER.publicKey(algorithm: DER.ellipticCurve + known, key: point)
      half = Array(point[1...point.count / 2])
    }
    let isHardware = kind == .hardwareEd25519 || kind == .hardwareP256
    guard let application = isHardware ? reader.string() : [], reader.isAtEnd, SSHPublicKey.handle(der) != nil
    else { return nil }
    (self.kind, self.blob, self.der, self.half, self.application) = (kind, blob, der, half, application)
  }

  private static func handle(_ der: [UInt8]) -> KeyHandle? {
    KeyHandle(reading: der) { d2i_PUBKEY(nil, &$0, $1) }
  }

  /// Whether a signature in the wire format was made over a message with the key's private half.
  func verifies(_ signature: [UInt8], _ message: [UInt8]) -> Bool {
    var reader = SSHReader(signature)
    guard let algorithm = reader.text(), let bytes = reader.string() else { return false }
    switch kind {
    case .ed25519:
      return algorithm == kind.rawValue && reader.isAtEnd && check(bytes, message, nil)
    case .rsa:
      // SHA-1 is not accepted (RFC 8332).
      let hash = algorithm == "rsa-sha2-512" ? EVP_sha512() : algorithm == "rsa-sha2-256" ? EVP_sha256() : nil
      return hash != nil && reader.isAtEnd && check(bytes, message, hash)
    case .p256, .p384, .p521:
      let hash = kind == .p256 ? EVP_sha256() : kind == .p384 ? EVP_sha384() : EVP_sha512()
      guard algorithm == kind.rawValue, reader.isAtEnd, let der = DER.signature(bytes) else { return false }
      return check(der, message, hash)
    case .hardwareEd25519, .hardwareP256:
      guard algorithm == kind.rawValue, let flags = reader.byte(), let counter = reader.bytes(4),
        reader.isAtEnd
      else { return false }
      // A token does not sign the message itself (PROTOCOL.u2f, "SSH U2F signatures").
      let signed = SHA256.digest(of: application) + [flags] + counter + SHA256.digest(of: message)
      guard kind == .hardwareP256 else { return check(bytes, signed, nil) }
      return DER.signature(bytes).map { check($0, signed, EVP_sha256()) } ?? false
    }
  }

  private func check(_ signature: [UInt8], _ message: [UInt8], _ hash: OpaquePointer?) -> Bool {
    SSHPublicKey.handle(der)?.verifies(signature, message, hash) ?? false
  }
}

/// Reads the wire format of SSH (RFC 4251 §5).
struct SSHReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func number() -> UInt32? { bytes(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } } }

  mutating func string() -> [UInt8]? { number().flatMap { bytes(Int($0)) } }

  /// A positive number (`mpint`) without needless zeros before it.
  mutating func positiveNumber() -> [UInt8]? {
    guard let bytes = string(), let first = bytes.first, first < 0x80,
      first > 0 || bytes.dropFirst().first.map({ $0 >= 0x80 }) == true
    else { return nil }
    return bytes
  }

  mutating func text() -> String? { string().flatMap { String(validating: $0, as: UTF8.self) } }
}

/// Points of Curve25519 in the form of RFC 8032 §5.1.2.
private enum Ed25519Point {
  /// The lowest 255 bits of the points of small order, little-endian without the sign of x: of order 4, 1, 2
  /// and, twice, 8. For these, a signature can be made without a private key.
  private static let smallOrder: [[UInt8]] = [
    [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
    [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
      0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
    ],
    [
      0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
      0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
    ],
  ]

  /// Whether a point has small order, or is not written as the least number (y below 2^255 − 19).
  static func isWeak(_ point: [UInt8]) -> Bool {
    guard let last = point.last, let first = point.first else { return true }
    let y = point.dropLast() + [last & 0x7F]
    let isTooGreat = y.last == 0x7F && y.dropFirst().dropLast().allSatisfy { $0 == 0xFF } && first >= 0xED
    return isTooGreat || smallOrder.contains { $0.elementsEqual(y) }
  }
}

/// The few DER structures (X.690) in which libcrypto takes keys and signatures.
private enum DER {
  // Object identifiers as they are encoded (RFC 8410 §3, RFC 8017 A.1, RFC 5480 §2.1.1).
  static let ed25519: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70]
  static let rsa: [UInt8] = [
    0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]
  static let ellipticCurve: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

  static func curve(named name: String) -> [UInt8]? {
    switch name {
    case "nistp256": [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    case "nistp384": [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
    case "nistp521": [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
    default: nil
    }
  }

  static func publicKey(algorithm: [UInt8], key: [UInt8]) -> [UInt8] {
    sequence(sequence(algorithm) + value(0x03, [0] + key))
  }

  static func sequence(_ content: [UInt8]) -> [UInt8] { value(0x30, content) }

  static func integer(_ bytes: [UInt8]) -> [UInt8] { value(0x02, bytes) }

  /// Encodes a signature of two numbers, which SSH writes one after the other (RFC 5656 §3.1.2).
  static func signature(_ bytes: [UInt8]) -> [UInt8]? {
    var reader = SSHReader(bytes)
    guard let r = reader.string(), let s = reader.string(), reader.isAtEnd, !r.isEmpty, !s.isEmpty,
      r.count <= 67, s.count <= 67
    else { return nil }
    return sequence(integer(r) + integer(s))
  }

  private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      count < 0x80
      ? [UInt8(count)]
      : count < 0x100
        ? [0x81, UInt8(count)]
        : [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    return [tag] + length + content
  }
}

/// A signature made by `ssh-keygen -Y sign` (OpenSSH PROTOCOL.sshsig).
package struct SSHSignature: Sendable, Equatable {
  package let key: SSHPublicKey
  package let namespace: String
  private let hash: Hash
  private let signature: [UInt8]

  private enum Hash: String { case sha256, sha512 }

  private static let begin = "-----BEGIN SSH SIGNATURE-----"
  private static let end = "-----END SSH SIGNATURE-----"
  private static let magic = Array("SSHSIG".utf8)

  /// Reads a file with a signature; nil for anything else, and for keys that cannot be checked.
  package init?(_ text: String) {
    // What ssh-keygen would not read has to be no signature here either.
    var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
    if lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.allSatisfy({ !$0.isEmpty && $0.last != 0x0D }), let first = lines.popFirst(),
      first.elementsEqual(SSHSignature.begin.utf8),
      let last = lines.popLast(), last.elementsEqual(SSHSignature.end.utf8),
      let blob = Base64.decode(lines.joined())
    else { return nil }
    var reader = SSHReader(blob)
    guard reader.bytes(6) == SSHSignature.magic, reader.number() == 1,
      let key = reader.string().flatMap(SSHPublicKey.init(blob:)), let namespace = reader.text(),
      !namespace.isEmpty, reader.string() == [], let hash = reader.text().flatMap(Hash.init(rawValue:)),
      let signature = reader.string(), reader.isAtEnd
    else { return nil }
    (self.key, self.namespace, self.hash, self.signature) = (key, namespace, hash, signature)
  }

  /// Whether the key signed a message for a purpose.
  package func isGood(over message: [UInt8], namespace: String) -> Bool {
    guard self.namespace == namespace else { return false }
    return key.verifies(signature, SSHSignature.signed(message, namespace: namespace, hash: hash))
  }

  private static func signed(_ message: [UInt8], namespace: String, hash: Hash) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 64)
    var count: UInt32 = 0
    let algorithm = hash == .sha256 ? EVP_sha256() : EVP_sha512()
    // No bytes count if it fails.
    _ = EVP_Digest(message, message.count, &digest, &count, algorithm, nil)
    return magic + string(Array(namespace.utf8)) + string([]) + string(Array(hash.rawValue.utf8))
      + string(Array(digest.prefix(Int(count))))
  }

  private static func string(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt32(truncatingIfNeeded: bytes.count)
    return stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> UInt32($0)) } + bytes
  }
}
