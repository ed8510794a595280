import Crypto

/// Encoded words in unstructured header fields (RFC 2047).
package enum EncodedWords {
  /// Blanks between two adjacent encoded words vanish (§6.2), and adjacent words with the same charset and
  /// encoding are decoded together, since many senders cut a character in two. Anything that is not a
  /// well-formed encoded word in a known charset stays unchanged; other bytes are read as UTF-8.
  package static func decode(_ value: [UInt8]) -> String {
    let value = Array(trimmed(value[...]))
    var text = ""
    var pending: Word?
    var blanks: [UInt8] = []
    var index = 0
    while index < value.count {
      let start = index
      while index < value.count, isBlank(value[index]) == isBlank(value[start]) { index += 1 }
      let run = value[start..<index]
      if isBlank(run[start]) {
        blanks = Array(run)
        continue
      }
      if let word = Word(run) {
        if let before = pending, before.charset == word.charset, before.isQ == word.isQ {
          pending?.bytes += word.bytes
        } else {
          if let pending { text += pending.text } else { text += plain(blanks) }
          pending = word
        }
      } else {
        if let pending { text += pending.text }
        pending = nil
        text += plain(blanks) + plain(run)
      }
      blanks = []
    }
    if let pending { text += pending.text }
    return text
  }

  private static func plain(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private struct Word {
    let charset: Charset
    let isQ: Bool
    var bytes: [UInt8]

    var text: String { charset.decode(bytes) }

    /// Reads `=?charset?Q?text?=` or its B form, with the language RFC 2231 §5 allows after the charset.
    init?(_ run: ArraySlice<UInt8>) {
      guard run.count > 6, run.starts(with: Array("=?".utf8)), run.suffix(2).elementsEqual(Array("?=".utf8))
      else {
        return nil
      }
      let parts = run.dropFirst(2).dropLast(2).split(
        separator: UInt8(ascii: "?"), maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      let name = parts[0].prefix { $0 != UInt8(ascii: "*") }
      guard let charset = Charset(name: String(decoding: name, as: UTF8.self)) else { return nil }
      self.charset = charset
      switch parts[1] {
      case let code where code.elementsEqual([0x51]) || code.elementsEqual([0x71]):
        isQ = true
        guard let bytes = Word.unquoted(parts[2]) else { return nil }
        self.bytes = bytes
      case let code where code.elementsEqual([0x42]) || code.elementsEqual([0x62]):
        isQ = false
        guard let bytes = Base64.decode(parts[2]) else { return nil }
        self.bytes = bytes
      default: return nil
      }
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> [UInt8]? {
      let bytes = unescaped(text.map { $0 == UInt8(ascii: "_") ? 0x20 : $0 }[...], "=")
      // Each escape that is one has become two bytes shorter.
      return text.count - bytes.count == 2 * text.count { $0 == UInt8(ascii: "=") } ? bytes : nil
    }
  }
}
