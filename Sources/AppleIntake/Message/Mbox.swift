/// Many mails in one file, each after a line that starts with `From ` (RFC 4155).
package enum Mbox {
  /// Returns the mails of a file, without their `From ` lines and with quoted `>From ` lines as they were.
  ///
  /// One `>` goes from every line of `>`s and `From `, as mboxrd quotes them: a signature breaks over the
  /// difference. A `From ` line counts at the start of the file and after an empty line; what stands before the
  /// first one is no mail and is left out. The empty line that ends each mail in the file is not part of it.
  package static func messages(of bytes: [UInt8]) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var message: [UInt8]?
    var wasEmpty = true
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.endIndex
      let line = bytes[start..<end]
      if wasEmpty, line.starts(with: from) {
        if let message { messages.append(withoutLastEmptyLine(message)) }
        message = []
      } else if message != nil {
        let isQuoted =
          line.first == UInt8(ascii: ">") && line.drop { $0 == UInt8(ascii: ">") }.starts(with: from)
        message?.append(contentsOf: isQuoted ? line.dropFirst() : line)
      }
      wasEmpty = line.elementsEqual([0x0A]) || line.elementsEqual([0x0D, 0x0A])
      start = end
    }
    if let message { messages.append(withoutLastEmptyLine(message)) }
    return messages
  }

  private static let from = Array("From ".utf8)

  private static func withoutLastEmptyLine(_ message: [UInt8]) -> [UInt8] {
    if message.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) { return Array(message.dropLast(2)) }
    if message.suffix(2).elementsEqual([0x0A, 0x0A]) { return Array(message.dropLast()) }
    return message
  }
}
