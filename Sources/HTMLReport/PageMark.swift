/// How a page says that pawl made it, and for which ledger, so that no other file is ever mistaken for one.
package enum PageMark {
  package static let length = 256

  static func head(of ledger: String) -> Markup {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="generator" content="pawl report of ledger \(ledger)">
    """
  }

  /// Nil if the bytes begin with something else.
  package static func ledger(of bytes: [UInt8]) -> String? {
    // Everything except the end of the last element.
    let opening = Array(head(of: "").html.utf8.dropLast(2))
    guard bytes.starts(with: opening) else { return nil }
    let rest = bytes.dropFirst(opening.count)
    return rest.firstIndex(of: UInt8(ascii: "\"")).map { String(decoding: rest[..<$0], as: UTF8.self) }
  }
}
