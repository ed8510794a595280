/// One record of a CSV text, and the line it starts on.
package struct CSVRecord: Sendable, Equatable {
  /// The line, counted from 1.
  package let line: Int
  package let fields: [String]
}

/// Why a text is not CSV, and where.
package struct CSVError: Error, Sendable, Equatable {
  /// What is wrong, in words that follow "line 3: ".
  package let reason: String
  package let line: Int
}

/// Reads CSV as RFC 4180 defines it: fields separated by commas, and quoted if they contain commas, quotes or
/// line ends.
///
/// Beyond the RFC, it accepts what real exports contain: a byte order mark at the start, lines that end in
/// LF, and a last line without an end. Empty lines are skipped.
package enum CSVReader {
  /// Returns the records of a text, or only the first ones, up to a limit.
  ///
  /// - Throws: `CSVError` for an unclosed quote, text after a closing quote, and bytes that are not UTF-8.
  package static func records(of text: [UInt8], limit: Int = .max) throws(CSVError) -> [CSVRecord] {
    var scanner = Scanner(text: text)
    var records: [CSVRecord] = []
    while records.count < limit, let record = try scanner.record() { records.append(record) }
    return records
  }

  private struct Scanner {
    let text: [UInt8]
    var position: Int
    var line = 1

    init(text: [UInt8]) {
      self.text = text
      position = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    private var current: UInt8? { position < text.count ? text[position] : nil }

    mutating func record() throws(CSVError) -> CSVRecord? {
      while takeLineEnd() {}
      guard current != nil else { return nil }
      let start = line
      var fields = [try field()]
      while current == UInt8(ascii: ",") {
        position += 1
        fields.append(try field())
      }
      guard current == nil || takeLineEnd() else {
        throw CSVError(reason: "text follows a closing quote", line: line)
      }
      return CSVRecord(line: start, fields: fields)
    }

    private mutating func takeLineEnd() -> Bool {
      guard let byte = current, byte == 0x0A || byte == 0x0D else { return false }
      position += 1
      if byte == 0x0D, current == 0x0A { position += 1 }
      line += 1
      return true
    }

    private mutating func field() throws(CSVError) -> String {
      guard current == UInt8(ascii: "\"") else {
        let start = position
        while let byte = current, byte != UInt8(ascii: ","), byte != 0x0A, byte != 0x0D { position += 1 }
        return try decoded(text[start..<position])
      }
      position += 1
      let opening = line
      var bytes: [UInt8] = []
      while let byte = current {
        position += 1
        if byte == UInt8(ascii: "\"") {
          guard current == UInt8(ascii: "\"") else { return try decoded(bytes[...]) }
          position += 1
        }
        if byte == 0x0A || (byte == 0x0D && current != 0x0A) { line += 1 }
        bytes.append(byte)
      }
      throw CSVError(reason: "a quote is never closed", line: opening)
    }

    private func decoded(_ bytes: ArraySlice<UInt8>) throws(CSVError) -> String {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw CSVError(reason: "it is not valid UTF-8", line: line)
      }
      return text
    }
  }
}
