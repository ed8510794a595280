/// A mail split into header and body, with nothing in it trusted yet.
///
/// All lines end in CRLF, whatever they came with, since signatures are made over CRLF, while Maildir and
/// mbox store LF (RFC 6376 §5.3). Everything is read from these bytes, so nobody can see a mail other than
/// the one verified.
package struct RawMessage: Sendable, Equatable {
  package static let maximumSize = 1 << 20

  package let bytes: [UInt8]
  /// It has at least one field.
  package let header: Header
  package let body: ArraySlice<UInt8>

  /// - Throws: `MessageFault`, the first of: size, NUL, bare CR, header.
  package init(_ bytes: [UInt8]) throws(MessageFault) {
    guard bytes.count <= RawMessage.maximumSize else { throw .tooLarge }
    let text = try RawMessage.normalized(bytes)
    let (header, body) = try Header.read(text[...])
    guard !header.fields.isEmpty else { throw .noHeader }
    self.bytes = text
    self.header = header
    self.body = text[body...]
  }

  private static func normalized(_ bytes: [UInt8]) throws(MessageFault) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 32)
    var previous: UInt8 = 0
    for byte in bytes {
      guard byte != 0 else { throw .nul }
      if byte == 0x0A {
        if previous != 0x0D { text.append(0x0D) }
      } else if previous == 0x0D {
        throw .bareCarriageReturn
      }
      text.append(byte)
      previous = byte
    }
    guard previous != 0x0D else { throw .bareCarriageReturn }
    return text
  }
}
