/// A mail split into header and body, with nothing in it trusted yet.
///
/// All lines end in CRLF, whatever they came with, since signatures are made over CRLF, while a Maildir
/// stores LF (RFC 6376 §5.3). Everything is read from these bytes, so no one can see a mail other than
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

/// Why bytes are not accepted as a mail at all; docs/reasons.md says what each means.
package enum MessageFault: String, Error, Sendable, Equatable, CaseIterable {
  case tooLarge = "too-large"
  case nul = "nul"
  case bareCarriageReturn = "bare-carriage-return"
  case noHeader = "no-header"
  /// Without a colon, with a name that RFC 5322 §2.2 does not allow, or folded onto a blank line.
  case malformedField = "malformed-field"
  case tooManyFields = "too-many-fields"
  case fieldTooLong = "field-too-long"
}

/// One header field, with its bytes as received.
package struct HeaderField: Sendable, Equatable {
  /// Its name in lower case (RFC 5322 §1.2.2: names are case-insensitive).
  package let key: String
  /// Counted from 0 at the top.
  package let position: Int
  /// Everything from the first byte of the name through the last CRLF, including folding.
  package let raw: ArraySlice<UInt8>
  /// What follows the colon, without the last CRLF.
  package let rawValue: ArraySlice<UInt8>

  /// The value with its folding undone (RFC 5322 §2.2.3): only the line ends are removed, the blanks stay.
  package var value: [UInt8] { rawValue.filter { $0 != 0x0D && $0 != 0x0A } }
}

/// The fields at the top of a mail or of one part of it.
package struct Header: Sendable, Equatable {
  package static let maximumFields = 500
  /// In bytes, folding included.
  package static let maximumFieldSize = 64 * 1024

  package let fields: [HeaderField]

  /// From the top; the name is given in lower case.
  package func all(_ key: String) -> [HeaderField] { fields.filter { $0.key == key } }

  /// Nil if there is not exactly one; the name is given in lower case.
  package func only(_ key: String) -> HeaderField? {
    let found = all(key)
    return found.count == 1 ? found[0] : nil
  }

  /// What the first field of a name says, decoded; the name is given in lower case.
  package func text(_ key: String) -> String? { all(key).first.map { EncodedWords.decode($0.value) } }

  /// Reads the fields at the front of text whose lines end in CRLF, up to the empty line or the end; none if
  /// the text starts with the empty line.
  static func read(_ text: ArraySlice<UInt8>) throws(MessageFault) -> (header: Header, body: Int) {
    var fields: [HeaderField] = []
    var start = text.startIndex
    func take(until end: Int) throws(MessageFault) {
      guard end > start else { return }
      guard end - start <= maximumFieldSize else { throw .fieldTooLong }
      guard fields.count < maximumFields else { throw .tooManyFields }
      fields.append(try field(text[start..<end], position: fields.count))
      start = end
    }
    for line in lines(of: text) {
      if line.startIndex > start, let first = line.first, isBlank(first) {
        // RFC 5322 §3.2.2: no line of a folded field is all blanks; some programs end the header there.
        guard !trimmed(line).isEmpty else { throw .malformedField }
        continue
      }
      try take(until: line.startIndex)
      if line.elementsEqual([0x0D, 0x0A]) { return (Header(fields: fields), line.endIndex) }
    }
    try take(until: text.endIndex)
    return (Header(fields: fields), text.endIndex)
  }

  private static func field(_ raw: ArraySlice<UInt8>, position: Int) throws(MessageFault) -> HeaderField {
    guard let colon = raw.firstIndex(of: UInt8(ascii: ":")), colon > raw.startIndex else {
      throw .malformedField
    }
    let name = raw[..<colon]
    guard name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformedField }
    var end = raw.endIndex
    while end > colon + 1, raw[end - 1] == 0x0A || raw[end - 1] == 0x0D { end -= 1 }
    return HeaderField(
      key: lowercased(name), position: position, raw: raw, rawValue: raw[(colon + 1)..<end])
  }
}
