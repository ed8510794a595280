/// How text looks on a terminal: red for what failed, green for success, yellow for what needs attention, and
/// blue for what is in progress.
///
/// The raw values are the numbers of "select graphic rendition", ECMA-48 8.3.117.
package enum Style: Int, Sendable, CaseIterable {
  case plain = 0
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case blue = 34

  /// The text must be safe already: apply `printable` first to text from others.
  package func apply(_ text: String, enabled: Bool) -> String {
    enabled && self != .plain && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
