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
    guard types.count <= 1 else { throw .malformedType }
    guard let type = types.first.map({ ContentType($0.value) }) ?? .standard else { throw .malformedType }
    guard type.isMultipart else {
      guard parts.count < maximumCount else { throw .tooManyParts }
      return parts.append(try MIMEPart(type, header, body))
    }
    // RFC 2045 §6.4: a multipart itself is never encoded.
    guard ["7bit", "8bit", "binary"].contains(try encoding(header)) else { throw .unknownEncoding }
    guard depth < maximumDepth else { throw .tooDeep }
    guard let boundary = type.boundary else { throw .unclosedMultipart }
    for part in try Multipart.split(body, boundary: boundary, atMost: maximumCount) {
      guard let (header, start) = try? Header.read(part) else { throw .malformedPart }
      try collect(header: header, body: part[start...], depth: depth + 1, into: &parts)
    }
  }

  init(_ type: ContentType, _ header: Header, _ body: ArraySlice<UInt8>) throws(MIMEFault) {
    let disposition = header.all("content-disposition").first.map { lowercased(trimmed($0.value[...])) } ?? ""
    self.type = type
    isAttachment = disposition.hasPrefix("attachment")
    content = try MIMEPart.decoded(body, MIMEPart.encoding(header))
  }

  /// What it says to a reader, and whether as HTML; nil for an attachment, and for any other type.
  var text: (text: String, isHTML: Bool)? {
    guard !isAttachment, type.name == "text/plain" || type.name == "text/html" else { return nil }
    return ((Charset(name: type.charset) ?? .utf8).decode(content), type.name == "text/html")
  }

  /// In lower case: `quoted-printable`.
  private static func encoding(_ header: Header) throws(MIMEFault) -> String {
    let fields = header.all("content-transfer-encoding")
    guard let field = fields.first else { return "7bit" }
    guard fields.count == 1 else { throw .malformedType }
    var scanner = HeaderScanner(field.value)
    let token = scanner.word(while: HeaderScanner.isTokenText)
    guard !token.isEmpty, scanner.ends() else { throw .malformedType }
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

/// Why the parts of a mail cannot be read; docs/reasons.md says what each means.
package enum MIMEFault: String, Error, Sendable, Equatable, CaseIterable {
  /// It breaks the grammar or occurs twice.
  case malformedType = "malformed-type"
  case unclosedMultipart = "unclosed-multipart"
  case malformedPart = "malformed-part"
  case tooDeep = "too-deep"
  case tooManyParts = "too-many-parts"
  /// Also one that is not allowed on a multipart.
  case unknownEncoding = "unknown-encoding"
  case malformedBase64 = "malformed-base64"
  case unknownCharset = "unknown-charset"
  /// Two texts of one kind, of which some readers show one and some the other.
  case severalTexts = "several-texts"
  case noText = "no-text"
}

/// The Content-Type field of a mail or a part of one (RFC 2045 §5.1).
package struct ContentType: Sendable, Equatable {
  /// In lower case: `text/plain`.
  package let name: String
  private let parameters: [String: [UInt8]]

  /// RFC 2045 §5.2.
  package static let standard = ContentType(name: "text/plain", parameters: [:])
}

extension ContentType {
  /// Nil if the value breaks the grammar or repeats a parameter; many senders write a semicolon at the end.
  package init?(_ value: [UInt8]) {
    var scanner = HeaderScanner(value)
    let type = scanner.word(while: HeaderScanner.isTokenText)
    guard !type.isEmpty, scanner.take("/") else { return nil }
    let subtype = scanner.run(while: HeaderScanner.isTokenText)
    guard !subtype.isEmpty else { return nil }
    var parameters: [String: [UInt8]] = [:]
    while scanner.takeNext(";"), !scanner.ends() {
      let name = lowercased(scanner.word(while: HeaderScanner.isTokenText))
      guard !name.isEmpty, scanner.takeNext("="),
        let content = scanner.value(while: HeaderScanner.isTokenText),
        parameters.updateValue(content, forKey: name) == nil
      else { return nil }
    }
    guard scanner.isAtEnd else { return nil }
    self.init(name: "\(lowercased(type))/\(lowercased(subtype))", parameters: parameters)
  }

  package var isMultipart: Bool { name.hasPrefix("multipart/") }

  /// RFC 2046 §5.1.1; nil if it is missing or too long.
  package var boundary: [UInt8]? {
    guard let boundary = parameters["boundary"], (1...70).contains(boundary.count),
      boundary.last.map(isBlank) == false
    else { return nil }
    return boundary
  }

  /// US-ASCII if none is given.
  package var charset: String {
    parameters["charset"].map { String(decoding: $0, as: UTF8.self) } ?? "us-ascii"
  }
}

/// The lines that divide a multipart body (RFC 2046 §5.1).
enum Multipart {
  /// Returns the parts between the boundary lines, without what precedes the first and follows the last.
  static func split(
    _ body: ArraySlice<UInt8>, boundary: [UInt8], atMost limit: Int
  ) throws(MIMEFault) -> [ArraySlice<UInt8>] {
    let delimiter = [UInt8(ascii: "-"), UInt8(ascii: "-")] + boundary
    var parts: [ArraySlice<UInt8>] = []
    var partStart: Int?
    for line in lines(of: body) where line.starts(with: delimiter) {
      let isClosing = line.dropFirst(delimiter.count).starts(with: Array("--".utf8))
      // A longer line is not a delimiter: a nested boundary often starts with the outer one.
      guard trimmed(line.dropFirst(delimiter.count + (isClosing ? 2 : 0))).isEmpty else { continue }
      if let partStart {
        guard parts.count < limit else { throw .tooManyParts }
        // The line end before a delimiter belongs to it, not to the part.
        parts.append(body[partStart..<max(partStart, line.startIndex - 2)])
      }
      if isClosing {
        guard partStart != nil else { throw .unclosedMultipart }
        return parts
      }
      partStart = line.endIndex
    }
    throw .unclosedMultipart
  }
}

/// The quoted-printable transfer encoding (RFC 2045 §6.7).
package enum QuotedPrintable {
  /// Nothing is refused: a `=` that does not start an escape and bytes above ASCII stay, as RFC 2045 §6.7
  /// advises for broken text. Blanks at the end of a line are dropped, as it requires.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for line in lines(of: text) { decodeLine(line, into: &bytes) }
    return bytes
  }

  private static func decodeLine(_ line: ArraySlice<UInt8>, into bytes: inout [UInt8]) {
    var content = line
    while let last = content.last, last == 0x0A || last == 0x0D { content.removeLast() }
    let lineEnd = line[content.endIndex...]
    while let last = content.last, isBlank(last) { content.removeLast() }
    let isSoft = content.last == UInt8(ascii: "=")
    if isSoft { content.removeLast() }
    bytes += unescaped(content, "=")
    if !isSoft { bytes += lineEnd }
  }
}
