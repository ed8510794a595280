/// How text looks on a terminal.
package enum Style: Sendable, Hashable, CaseIterable {
  /// As it comes.
  case plain
  /// Heavy.
  case bold
  /// Faint.
  case dim
  /// Red, for what failed.
  case red
  /// Green, for what is well.
  case green
  /// Yellow, for what needs a look.
  case yellow
  /// Blue, for what is under way.
  case blue

  /// The text between the codes that start and end the style; unchanged when not enabled, plain or empty.
  ///
  /// The text is taken to be safe: `printable` comes first for text of others.
  package func apply(_ text: String, enabled: Bool) -> String {
    guard enabled, let code, !text.isEmpty else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  /// The number of "select graphic rendition", ECMA-48 8.3.117.
  private var code: Int? {
    switch self {
    case .plain: nil
    case .bold: 1
    case .dim: 2
    case .red: 31
    case .green: 32
    case .yellow: 33
    case .blue: 34
    }
  }
}
