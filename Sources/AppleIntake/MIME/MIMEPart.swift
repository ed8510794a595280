import Crypto

/// A part of a mail that is not a multipart (RFC 2046).
package struct MIMEPart: Sendable, Equatable {
  package let type: ContentType
  /// RFC 2183.
  package let isAttachment: Bool
  /// With the transfer encoding undone.
  package let content: [UInt8]

  package static let maximumDepth = 8
  package static let maximumCount = 100

  /// Returns the parts of a mail from the top, with multiparts flattened.
  package static func parts(of message: RawMessage) throws(MIMEFault) -> [MIMEPart] {
    var parts: [MIMEPart] = []
    try collect(header: message.header, body: message.body, depth: 0, into: &parts)
    return parts
  }

  private static func collect(
    header: Header, body: ArraySlice<UInt8>, depth: Int, into parts: inout [MIMEPart]
  ) throws(MIMEFault) {
    let types = header.all("content-type")
    let encodings = header.all("content-transfer-encoding")
    guard types.count <= 1, encodings.count <= 1 else { throw .malformedType }
    guard let type = types.first.map({ ContentType($0.value) }) ?? .standard else { throw .malformedType }
    let encoding = try encodings.first.map { field throws(MIMEFault) in try token(field.value) } ?? "7bit"
    guard type.isMultipart else {
      guard parts.count < maximumCount else { throw .tooManyParts }
      let disposition =
        header.all("content-disposition").first.map { lowercased(trimmed($0.value[...])) } ?? ""
      parts.append(
        MIMEPart(
          type: type, isAttachment: disposition.hasPrefix("attachment"),
          content: try decoded(body, encoding)))
      return
    }
    // RFC 2045 §6.4: a multipart itself is never encoded.
    guard ["7bit", "8bit", "binary"].contains(encoding) else { throw .unknownEncoding }
    guard depth < maximumDepth else { throw .tooDeep }
    guard let boundary = type.boundary else { throw .unclosedMultipart }
    for part in try Multipart.split(body, boundary: boundary, atMost: maximumCount) {
      guard let (header, start) = try? Header.read(part) else { throw .malformedPart }
      try collect(header: header, body: part[start...], depth: depth + 1, into: &parts)
    }
  }

  private static func token(_ value: [UInt8]) throws(MIMEFault) -> String {
    var scanner = HeaderScanner(value)
    guard scanner.skipBlanksAndComments() else { throw .malformedType }
    let token = scanner.run(while: HeaderScanner.isTokenText)
    guard !token.isEmpty, scanner.skipBlanksAndComments(), scanner.isAtEnd else { throw .malformedType }
    return lowercased(token)
  }

  private static func decoded(_ body: ArraySlice<UInt8>, _ encoding: String) throws(MIMEFault) -> [UInt8] {
    switch encoding {
    case "7bit", "8bit", "binary": return Array(body)
    case "quoted-printable": return QuotedPrintable.decode(body)
    case "base64":
      // RFC 2045 §6.8: line ends between the characters belong to the encoding; blanks are skipped, anything
      // else is a fault.
      let characters = body.filter { $0 != 0x0D && $0 != 0x0A && !isBlank($0) }
      guard let bytes = Base64.decode(characters) else { throw .malformedBase64 }
      return bytes
    default: throw .unknownEncoding
    }
  }
}
