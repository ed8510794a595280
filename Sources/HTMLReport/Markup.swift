import CommandLineKit

/// HTML that is safe to write: literals in the source are taken as they are, and every other text is escaped.
///
/// No text from outside this program can get in unescaped, so escaping cannot be forgotten. Attributes are in
/// double quotes.
package struct Markup: Sendable, Equatable, ExpressibleByStringInterpolation {
  package private(set) var html: String

  package init(stringLiteral literal: StaticString) { html = literal.description }

  package init(stringInterpolation parts: StringInterpolation) { html = parts.html }

  /// Appends a piece.
  package static func += (markup: inout Markup, piece: Markup) { markup.html += piece.html }

  /// The pieces of a literal with values in between.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      html.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Takes a literal as it is.
    package mutating func appendLiteral(_ literal: StaticString) { html += literal.description }
    /// Takes a text, escaped.
    package mutating func appendInterpolation(_ text: String) { html += Markup.escaped(text) }
    /// Takes markup as it is.
    package mutating func appendInterpolation(_ markup: Markup) { html += markup.html }
    /// Takes pieces of markup one after another.
    package mutating func appendInterpolation(_ markup: [Markup]) {
      for piece in markup { html += piece.html }
    }
    /// Takes a number.
    package mutating func appendInterpolation(_ number: Int64) { html += String(number) }
  }

  /// A text that neither HTML can act on nor a reader can be fooled by.
  ///
  /// Characters that are not shown as themselves become their number, such as `[U+202E]`. Line ends of any system and tabs
  /// stay.
  private static func escaped(_ text: String) -> String {
    var result = ""
    var before: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      defer { before = scalar }
      switch scalar {
      case "\r": result += "\n"
      case "\n" where before == "\r": break
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n", "\t", "\u{FFFD}": result.unicodeScalars.append(scalar)
      case _ where scalar.isShown: result.unicodeScalars.append(scalar)
      default: result += "[U+\(hexadecimal(scalar.value))]"
      }
    }
    return result
  }

  private static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension DefaultStringInterpolation {
  /// Markup in a text would be escaped as if somebody had typed it; the compiler refuses it instead.
  @available(*, unavailable, message: "this literal is a text; say that it is Markup")
  package mutating func appendInterpolation(_ markup: Markup) {}
}

extension Markup {
  /// A text from the ledger, kept from changing the direction of the text around it.
  package static func said(_ text: String) -> Markup { "<bdi>\(text)</bdi>" }
}
