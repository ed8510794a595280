/// Words as one line for a POSIX shell, and such a line as words again.
package enum ShellWords {
  /// Writes a word so that a shell reads exactly it, whatever is in it.
  ///
  /// Between single quotes nothing means anything but the quote that ends them (POSIX, Shell Command Language, 2.2.2).
  package static func quoted(_ word: String) -> String {
    // An equals sign is plain only within a word: in front it makes an assignment, or in zsh a look-up.
    guard word.isEmpty || !word.utf8.allSatisfy({ isPlain($0) && $0 != UInt8(ascii: "=") }) else {
      return word
    }
    var line: [UInt8] = [quote]
    for byte in word.utf8 {
      // The quotes are closed, the quote is escaped, and they are opened again.
      if byte == quote { line += [quote, backslash, quote, quote] } else { line.append(byte) }
    }
    line.append(quote)
    return String(decoding: line, as: UTF8.self)
  }

  /// Reads a line as a shell would that knows quotes and nothing else.
  ///
  /// - Returns: The words; nil where a quote is left open, or where a shell would do something with the line but to cut
  ///   it into words.
  package static func split(_ line: String) -> [String]? {
    var words: [String] = []
    var word: [UInt8]?
    var rest = Array(line.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case blank:
        if let done = word { words.append(String(decoding: done, as: UTF8.self)) }
        word = nil
      case quote:
        guard let end = rest.firstIndex(of: quote) else { return nil }
        word = (word ?? []) + rest[..<end]
        rest = rest[(end + 1)...]
      case backslash:
        guard rest.popFirst() == quote else { return nil }
        word = (word ?? []) + [quote]
      case _ where isPlain(byte): word = (word ?? []) + [byte]
      default: return nil
      }
    }
    if let done = word { words.append(String(decoding: done, as: UTF8.self)) }
    return words
  }

  private static let blank = UInt8(ascii: " ")
  private static let quote = UInt8(ascii: "'")
  private static let backslash = UInt8(ascii: "\\")

  /// Whether a byte means nothing to any shell, wherever in a word it stands.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./:,@%+=".utf8.contains(byte)
    }
  }
}
