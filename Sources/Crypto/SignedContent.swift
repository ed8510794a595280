import CLibcrypto

/// The content of a signed message of the Cryptographic Message Syntax (RFC 5652), such as a provisioning
/// profile.
package enum SignedContent {
  /// Returns the bytes that a message in DER signs, up to a limit; nil for anything else.
  ///
  /// The signature must match the certificate in the message, so that cut-off or altered content is detected.
  /// Who issued the certificate is not checked.
  package static func read(_ der: [UInt8], limit: Int) -> [UInt8]? {
    defer { ERR_clear_error() }
    let message = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var cursor = buffer.baseAddress
      return d2i_CMS_ContentInfo(nil, &cursor, buffer.count)
    }
    guard let message else { return nil }
    defer { CMS_ContentInfo_free(message) }
    guard let sink = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(sink) }
    let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
    guard CMS_verify(message, nil, nil, nil, sink, flags) == 1 else { return nil }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = BIO_read(sink, &chunk, Int32(chunk.count))
      guard count > 0 else { return content }
      content += chunk.prefix(Int(count))
      guard content.count <= limit else { return nil }
    }
  }
}
