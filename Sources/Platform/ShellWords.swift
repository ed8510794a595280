/// Joins words into one line for a POSIX shell, and splits such a line into words again.
package enum ShellWords {
  /// Writes a word so that a shell reads exactly that word, whatever it contains.
  ///
  /// Between single quotes, only the closing quote has a meaning (POSIX, Shell Command Language, 2.2.2).
  package static func quoted(_ word: String) -> String {
    // An equals sign is quoted too: before a word it could make an assignment or, in zsh, a lookup.
    guard word.isEmpty || !word.utf8.allSatisfy({ isPlain($0) && $0 != UInt8(ascii: "=") }) else {
      return word
    }
    var line: [UInt8] = [quote]
    for byte in word.utf8 {
      // Close the quotes, escape the quote, and open them again.
      if byte == quote { line += [quote, backslash, quote, quote] } else { line.append(byte) }
    }
    line.append(quote)
    return String(decoding: line, as: UTF8.self)
  }

  /// Splits a line as a shell would that knows only quotes.
  ///
  /// - Returns: The words; nil if a quote is left open, or if a shell would do more with the line than split
  ///   it.
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

  /// Whether a byte means nothing to any shell, except `=`, which `quoted` treats separately.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./:,@%+=".utf8.contains(byte)
    }
  }
}
