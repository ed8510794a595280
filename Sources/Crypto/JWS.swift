/// A JSON Web Signature in its compact form (RFC 7515 §7.1), made with Ed25519 (RFC 8037).
package struct JWS: Sendable, Equatable {
  package let header: [UInt8]
  package let payload: [UInt8]
  package let signature: [UInt8]

  /// Signs a payload under a header that names the algorithm EdDSA; nil if libcrypto cannot.
  package init?(header: [UInt8], payload: [UInt8], key: SigningKey) {
    guard let signature = key.sign(JWS.input(header, payload)) else { return nil }
    (self.header, self.payload, self.signature) = (header, payload, signature)
  }

  /// Splits a compact form, which line feeds may follow, into its three parts; nil if it is not one. Nothing is
  /// verified.
  package init?(_ text: [UInt8]) {
    let end = text.lastIndex { $0 != 0x0A } ?? -1
    let parts = text[...end].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let decoded = parts.compactMap { Base64URL.decode($0) }
    guard parts.count == 3, decoded.count == 3 else { return nil }
    (header, payload, signature) = (decoded[0], decoded[1], decoded[2])
  }

  package var bytes: [UInt8] {
    JWS.input(header, payload) + [UInt8(ascii: ".")] + Array(Base64URL.encode(signature).utf8)
  }

  private static func input(_ header: [UInt8], _ payload: [UInt8]) -> [UInt8] {
    Array("\(Base64URL.encode(header)).\(Base64URL.encode(payload))".utf8)
  }
}

extension PublicKey {
  /// The `x` of an Ed25519 key in the form of a JSON Web Key (RFC 8037 §2); nil for RSA.
  package var jwkX: String? { ed25519Bytes.map(Base64URL.encode) }

  /// The thumbprint of an Ed25519 key, a name that anyone can compute from the key (RFC 7638 §3, RFC 8037
  /// §2); nil for RSA.
  package var jwkThumbprint: String? {
    jwkX.map { x in
      Base64URL.encode(SHA256.digest(of: Array("{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"\(x)\"}".utf8)))
    }
  }
}
