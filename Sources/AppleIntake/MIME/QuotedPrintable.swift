/// The quoted-printable transfer encoding (RFC 2045 §6.7).
package enum QuotedPrintable {
  /// Nothing is refused: a `=` that does not start an escape and bytes above ASCII stay, as RFC 2045 §6.7
  /// advises for broken text. Blanks at the end of a line are dropped, as it requires.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var start = text.startIndex
    while start < text.endIndex {
      let end = text[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? text.endIndex
      decodeLine(text[start..<end], into: &bytes)
      start = end
    }
    return bytes
  }

  private static func decodeLine(_ line: ArraySlice<UInt8>, into bytes: inout [UInt8]) {
    var content = line
    while let last = content.last, last == 0x0A || last == 0x0D { content.removeLast() }
    let lineEnd = line[content.endIndex...]
    while let last = content.last, isBlank(last) { content.removeLast() }
    let isSoft = content.last == UInt8(ascii: "=")
    if isSoft { content.removeLast() }
    bytes += unescaped(content, "=")
    if !isSoft { bytes += lineEnd }
  }
}
