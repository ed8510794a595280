/// Many mails in one file, each after a line that starts with `From ` (RFC 4155).
package enum Mbox {
  /// Returns the mails of a file, without their `From ` lines and with quoted `>From ` lines as they were.
  ///
  /// One `>` goes from every line of `>`s and `From `, as mboxrd quotes them: a signature breaks over the
  /// difference. A `From ` line counts at the start of the file and after an empty line; what stands before the
  /// first one is not a mail and is left out. The empty line that ends each mail in the file is not part of it.
  ///
  /// A mail with one Content-Length that leads to the next `From ` line or the end has just that body, nothing in it
  /// quoted (mboxcl2); one that leads elsewhere is not believed.
  package static func messages(of bytes: [UInt8]) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var message: [UInt8]?
    // Where the header began whose end has not come; nil in a body.
    var header: Int?
    var wasEmpty = true
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let end = lineEnd(bytes, start)
      let line = bytes[start..<end]
      if wasEmpty, line.starts(with: from) {
        if let message { messages.append(withoutLastEmptyLine(message)) }
        message = []
        header = end
      } else if message != nil {
        let isQuoted =
          line.first == UInt8(ascii: ">") && line.drop { $0 == UInt8(ascii: ">") }.starts(with: from)
        message?.append(contentsOf: isQuoted ? line.dropFirst() : line)
      }
      wasEmpty = isEmpty(line)
      start = end
      if let first = header, message?.isEmpty == false, wasEmpty {
        header = nil
        if let length = contentLength(bytes[first..<end]), let body = bodyEnd(bytes, end, length) {
          message?.append(contentsOf: bytes[end..<body])
          if let message { messages.append(message) }
          message = nil
          start = body
          while start < bytes.endIndex, isEmpty(bytes[start..<lineEnd(bytes, start)]) {
            start = lineEnd(bytes, start)
          }
          wasEmpty = true
        }
      }
    }
    if let message { messages.append(withoutLastEmptyLine(message)) }
    return messages
  }

  private static let from = Array("From ".utf8)

  private static func lineEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.endIndex
  }

  private static func isEmpty(_ line: ArraySlice<UInt8>) -> Bool {
    line.elementsEqual([0x0A]) || line.elementsEqual([0x0D, 0x0A])
  }

  /// The number of the only Content-Length field of a header; nil if there is none, or several.
  private static func contentLength(_ header: ArraySlice<UInt8>) -> Int? {
    let name = Array("content-length:".utf8)
    let fields = header.split(separator: 0x0A).filter {
      $0.prefix(name.count).map { lowercased($0) as UInt8 } == name
    }
    guard fields.count == 1, let field = fields.first else { return nil }
    let digits = trimmed(field.dropFirst(name.count))
    guard (1...9).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Where a body of a length ends, if nothing or an empty line and a `From ` line comes next; nil otherwise.
  private static func bodyEnd(_ bytes: [UInt8], _ start: Int, _ length: Int) -> Int? {
    guard length <= bytes.endIndex - start else { return nil }
    let end = start + length
    var next = end
    while next < bytes.endIndex, isEmpty(bytes[next..<lineEnd(bytes, next)]) { next = lineEnd(bytes, next) }
    if next == bytes.endIndex { return end }
    let isAfterLine = next > end || (end > start && bytes[end - 1] == 0x0A)
    return isAfterLine && bytes[next...].starts(with: from) ? end : nil
  }

  private static func withoutLastEmptyLine(_ message: [UInt8]) -> [UInt8] {
    if message.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) { return Array(message.dropLast(2)) }
    if message.suffix(2).elementsEqual([0x0A, 0x0A]) { return Array(message.dropLast()) }
    return message
  }
}
