/// Many mails in one file, each after a line that starts with `From ` (RFC 4155); the file is read piece by
/// piece.
package struct Mbox {
  /// Where a mail is in a file, without its `From ` line.
  package struct Place: Sendable, Equatable {
    fileprivate let start: Int
    /// Where a body given by Content-Length begins, in which nothing is quoted; nil if none is believed.
    fileprivate let body: Int?
    fileprivate let end: Int
  }

  private let source: (Range<Int>) throws -> [UInt8]
  private let piece: Int

  /// - Parameter source: Returns the bytes of a range of the file, fewer if the file ends before.
  package init(piece: Int = 1 << 18, _ source: @escaping (Range<Int>) throws -> [UInt8]) {
    self.source = source
    self.piece = piece
  }

  /// Whether the first line that holds anything is a `From ` line, or there is none.
  package func beginsLikeOne() throws -> Bool {
    var lines = MboxLines(source, piece)
    let start = try lines.afterEmptyLines(0)
    return try lines.end(of: start) == nil || lines.hasPrefix(Mbox.from, at: start)
  }

  /// A `From ` line counts at the start of the file and after an empty line; anything before the first one is
  /// not a mail and is left out.
  ///
  /// If a mail has one Content-Length that leads to the next `From ` line or the end, its body is exactly
  /// that, with nothing quoted (mboxcl2); a length that leads elsewhere is not believed.
  package func places() throws -> [Place] {
    var lines = MboxLines(source, piece)
    var places: [Place] = []
    // Where the mail began whose end has not been found yet; nil if there is none.
    var message: Int?
    // The Content-Length fields of its header; nil once the header has ended.
    var lengths: [Int?]?
    var wasEmpty = true
    var start = 0
    while let end = try lines.end(of: start) {
      if wasEmpty, try lines.hasPrefix(Mbox.from, at: start) {
        if let message { places.append(Place(start: message, body: nil, end: start)) }
        message = end
        lengths = []
        wasEmpty = false
        start = end
        continue
      }
      wasEmpty = try lines.isEmpty(at: start)
      if let first = message, let found = lengths {
        if wasEmpty {
          lengths = nil
          if found.count == 1, let length = found[0], let last = try lines.bodyEnd(end, length) {
            places.append(Place(start: first, body: end, end: last))
            message = nil
            start = try lines.afterEmptyLines(last)
            continue
          }
        } else if try lines.hasPrefix(Mbox.lengthName, at: start, anyCase: true), found.count < 2 {
          lengths = found + [Mbox.number(in: try lines.bytes(start..<min(end, start + 100)))]
        }
      }
      start = end
    }
    if let message { places.append(Place(start: message, body: nil, end: start)) }
    return places
  }

  /// Returns the mail at a place in the file, with quoted `>From ` lines restored.
  ///
  /// One `>` is removed from every line of `>`s followed by `From `, since mboxrd adds one: the difference
  /// would break a signature. The empty line that ends each mail in the file is not part of it.
  ///
  /// - Parameter limit: The most bytes that are wanted; a longer mail is cut off.
  package func message(at place: Place, limit: Int = .max) throws -> [UInt8] {
    // Each `>` that goes stands before at least five other bytes.
    let count = place.end - place.start
    let wanted = limit < count ? min(count, limit + limit / 5 + 2) : count
    let bytes = try source(place.start..<place.start + wanted)
    let body = place.body.map { min($0 - place.start, bytes.count) }
    let quotedEnd = body ?? bytes.count
    var message: [UInt8] = []
    message.reserveCapacity(min(bytes.count, limit))
    var start = 0
    while start < quotedEnd, message.count < limit {
      let end = bytes[start..<quotedEnd].firstIndex(of: 0x0A).map { $0 + 1 } ?? quotedEnd
      let line = bytes[start..<end]
      let isQuoted =
        line.first == UInt8(ascii: ">") && line.drop { $0 == UInt8(ascii: ">") }.starts(with: Mbox.from)
      message.append(contentsOf: (isQuoted ? line.dropFirst() : line).prefix(limit - message.count))
      start = end
    }
    guard let body else { return Mbox.withoutLastEmptyLine(message) }
    message.append(contentsOf: bytes[body...].prefix(limit - message.count))
    return message
  }

  fileprivate static let from = Array("From ".utf8)
  private static let lengthName = Array("content-length:".utf8)

  private static func number(in field: [UInt8]) -> Int? {
    let digits = trimmed(field.dropFirst(lengthName.count))
    guard (1...9).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func withoutLastEmptyLine(_ message: [UInt8]) -> [UInt8] {
    if message.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) { return Array(message.dropLast(2)) }
    if message.suffix(2).elementsEqual([0x0A, 0x0A]) { return Array(message.dropLast()) }
    return message
  }
}

/// The lines of a file, of which one piece is held at a time.
private struct MboxLines {
  private let source: (Range<Int>) throws -> [UInt8]
  private let piece: Int
  private var held: [UInt8] = []
  private var base = 0

  init(_ source: @escaping (Range<Int>) throws -> [UInt8], _ piece: Int) {
    self.source = source
    self.piece = piece
  }

  /// The bytes of a range, fewer at the end of the file; at most a piece of them.
  mutating func bytes(_ range: Range<Int>) throws -> [UInt8] {
    let isHeld = base <= range.lowerBound && range.upperBound <= base + held.count
    if !isHeld {
      held = try source(range.lowerBound..<range.lowerBound + max(piece, range.count))
      base = range.lowerBound
    }
    return Array(held[(range.lowerBound - base)...].prefix(range.count))
  }

  /// Where the line that starts at a place ends, behind its line feed; nil at the end of the file.
  mutating func end(of start: Int) throws -> Int? {
    var place = start
    while true {
      guard try !bytes(place..<place + 1).isEmpty else { return place == start ? nil : place }
      if let feed = held[(place - base)...].firstIndex(of: 0x0A) { return base + feed + 1 }
      place = base + held.count
    }
  }

  mutating func hasPrefix(_ prefix: [UInt8], at start: Int, anyCase: Bool = false) throws -> Bool {
    let found = try bytes(start..<start + prefix.count)
    return anyCase ? found.map { lowercased($0) as UInt8 } == prefix : found == prefix
  }

  mutating func isEmpty(at start: Int) throws -> Bool {
    let found = try bytes(start..<start + 2)
    return found.first == 0x0A || found == [0x0D, 0x0A]
  }

  /// The start of the first line from a place on that holds something, or the end of the file.
  mutating func afterEmptyLines(_ start: Int) throws -> Int {
    var start = start
    while try isEmpty(at: start), let end = try end(of: start) { start = end }
    return start
  }

  /// Where a body of a length ends, if nothing or an empty line and a `From ` line follows; nil otherwise.
  mutating func bodyEnd(_ start: Int, _ length: Int) throws -> Int? {
    let end = start + length
    guard try length == 0 || bytes(end - 1..<end).count == 1 else { return nil }
    let endsLine = try length > 0 && bytes(end - 1..<end) == [0x0A]
    let next = try afterEmptyLines(end)
    if try bytes(next..<next + 1).isEmpty { return end }
    return try (next > end || endsLine) && hasPrefix(Mbox.from, at: next) ? end : nil
  }
}
