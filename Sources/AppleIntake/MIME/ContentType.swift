/// The Content-Type field of a mail or a part of one (RFC 2045 §5.1).
package struct ContentType: Sendable, Equatable {
  /// In lower case: `text/plain`.
  package let name: String
  private let parameters: [String: [UInt8]]

  /// RFC 2045 §5.2.
  package static let standard = ContentType(name: "text/plain", parameters: [:])

  private init(name: String, parameters: [String: [UInt8]]) {
    self.name = name
    self.parameters = parameters
  }

  /// Nil if the value breaks the grammar or repeats a parameter; many senders write a semicolon at the end.
  package init?(_ value: [UInt8]) {
    var scanner = HeaderScanner(value)
    guard scanner.skipBlanksAndComments() else { return nil }
    let type = scanner.run(while: HeaderScanner.isTokenText)
    guard !type.isEmpty, scanner.take("/") else { return nil }
    let subtype = scanner.run(while: HeaderScanner.isTokenText)
    guard !subtype.isEmpty, scanner.skipBlanksAndComments() else { return nil }
    var parameters: [String: [UInt8]] = [:]
    while scanner.take(";") {
      guard scanner.skipBlanksAndComments() else { return nil }
      if scanner.isAtEnd { break }
      let name = lowercased(scanner.run(while: HeaderScanner.isTokenText))
      guard !name.isEmpty, scanner.skipBlanksAndComments(), scanner.take("="), scanner.skipBlanksAndComments()
      else { return nil }
      let content: [UInt8]
      if scanner.current == UInt8(ascii: "\"") {
        guard let quoted = scanner.quotedString() else { return nil }
        content = quoted
      } else {
        content = scanner.run(while: HeaderScanner.isTokenText)
        guard !content.isEmpty else { return nil }
      }
      guard parameters.updateValue(content, forKey: name) == nil, scanner.skipBlanksAndComments() else {
        return nil
      }
    }
    guard scanner.isAtEnd else { return nil }
    name = "\(lowercased(type))/\(lowercased(subtype))"
    self.parameters = parameters
  }

  package var isMultipart: Bool { name.hasPrefix("multipart/") }

  /// RFC 2046 §5.1.1; nil if there is none or it is too long.
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
