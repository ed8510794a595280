/// Many mails in one file, each after a line that starts with `From ` (RFC 4155).
package enum Mbox {
  /// Where a mail is in a file, without its `From ` line.
  package struct Place: Sendable, Equatable {
    fileprivate let start: Int
    /// Where a body given by Content-Length begins, in which nothing is quoted; nil if none is believed.
    fileprivate let body: Int?
    fileprivate let end: Int
  }

  /// Finds the mails of a file.
  ///
  /// A `From ` line counts at the start of the file and after an empty line; anything before the first one is
  /// not a mail and is left out.
  ///
  /// If a mail has one Content-Length that leads to the next `From ` line or the end, its body is exactly
  /// that, with nothing quoted (mboxcl2); a length that leads elsewhere is not believed.
  package static func places(in bytes: [UInt8]) -> [Place] {
    var places: [Place] = []
    // Where the mail began whose end has not been found yet; nil if there is none.
    var message: Int?
    // Whether its header has not ended yet.
    var isInHeader = false
    var wasEmpty = true
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let end = lineEnd(bytes, start)
      let line = bytes[start..<end]
      let isFrom = wasEmpty && line.starts(with: from)
      if isFrom {
        if let message { places.append(Place(start: message, body: nil, end: start)) }
        message = end
        isInHeader = true
      }
      wasEmpty = isEmpty(line)
      start = end
      if let first = message, isInHeader, !isFrom, wasEmpty {
        isInHeader = false
        if let length = contentLength(bytes[first..<end]), let last = bodyEnd(bytes, end, length) {
          places.append(Place(start: first, body: end, end: last))
          message = nil
          start = last
          while start < bytes.endIndex, isEmpty(bytes[start..<lineEnd(bytes, start)]) {
            start = lineEnd(bytes, start)
          }
          wasEmpty = true
        }
      }
    }
    if let message { places.append(Place(start: message, body: nil, end: bytes.endIndex)) }
    return places
  }

  /// Returns the mail at a place in its file, with quoted `>From ` lines restored.
  ///
  /// One `>` is removed from every line of `>`s followed by `From `, since mboxrd adds one: the difference
  /// would break a signature. The empty line that ends each mail in the file is not part of it.
  ///
  /// - Parameter limit: The most bytes that are wanted; a longer mail is cut off.
  package static func message(at place: Place, of bytes: [UInt8], limit: Int = .max) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(min(place.end - place.start, limit))
    let quotedEnd = place.body ?? place.end
    var start = place.start
    while start < quotedEnd, message.count < limit {
      let end = lineEnd(bytes, start)
      let line = bytes[start..<end]
      let isQuoted =
        line.first == UInt8(ascii: ">") && line.drop { $0 == UInt8(ascii: ">") }.starts(with: from)
      message.append(contentsOf: (isQuoted ? line.dropFirst() : line).prefix(limit - message.count))
      start = end
    }
    guard let body = place.body else { return withoutLastEmptyLine(message) }
    message.append(contentsOf: bytes[body..<place.end].prefix(limit - message.count))
    return message
  }

  /// Returns all mails of a file.
  package static func messages(of bytes: [UInt8]) -> [[UInt8]] {
    places(in: bytes).map { message(at: $0, of: bytes) }
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

  /// Where a body of a length ends, if nothing or an empty line and a `From ` line follows; nil otherwise.
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
