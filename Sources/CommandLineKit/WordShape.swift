/// The form of words, judged by their bytes.
///
/// A combining mark after a dash or an equals sign forms one `Character` with it, so a comparison of
/// characters would miss the sign.
enum WordShape {
  static func isHelp(_ word: String) -> Bool { word == "-h" || word == "--help" }

  static func isLong(_ word: String) -> Bool {
    word.utf8.starts(with: "--".utf8)
  }

  /// Whether a word is an option: `-` alone and negative numbers are not.
  static func isOption(_ word: String) -> Bool {
    let bytes = word.utf8.prefix(2)
    guard bytes.first == UInt8(ascii: "-"), bytes.count == 2, let second = bytes.last else { return false }
    return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
  }

  /// Splits a word at its first equals sign; the value is nil if there is none.
  static func split(_ word: String) -> (name: String, value: String?) {
    guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (word, nil) }
    return (
      String(decoding: word.utf8[..<sign], as: UTF8.self),
      String(decoding: word.utf8[sign...].dropFirst(), as: UTF8.self)
    )
  }
}

/// One parameter found among the words: its index in the command's table, and the value written for it.
struct Occurrence: Sendable, Equatable {
  let parameter: Int
  let value: String?

  static func canonical(_ found: [Occurrence]) -> [Occurrence] {
    found.enumerated()
      .sorted { ($0.element.parameter, $0.offset) < ($1.element.parameter, $1.offset) }
      .map(\.element)
  }
}
