/// The lines that divide a multipart body (RFC 2046 §5.1).
enum Multipart {
  /// Returns the parts between the boundary lines, without what precedes the first and follows the last.
  static func split(
    _ body: ArraySlice<UInt8>, boundary: [UInt8], atMost limit: Int
  ) throws(MIMEFault) -> [ArraySlice<UInt8>] {
    let delimiter = [UInt8(ascii: "-"), UInt8(ascii: "-")] + boundary
    var parts: [ArraySlice<UInt8>] = []
    var partStart: Int?
    var start = body.startIndex
    while start < body.endIndex {
      let end = body[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? body.endIndex
      let line = body[start..<end]
      if line.starts(with: delimiter) {
        let isClosing = line.dropFirst(delimiter.count).starts(with: Array("--".utf8))
        // A longer line is not a delimiter: a nested boundary often starts with the outer one.
        let rest = trimmed(line.dropFirst(delimiter.count + (isClosing ? 2 : 0)))
        if rest.isEmpty {
          if let partStart {
            guard parts.count < limit else { throw .tooManyParts }
            // The line end before a delimiter belongs to it, not to the part.
            parts.append(body[partStart..<max(partStart, start - 2)])
          }
          if isClosing {
            guard partStart != nil else { throw .unclosedMultipart }
            return parts
          }
          partStart = end
        }
      }
      start = end
    }
    throw .unclosedMultipart
  }
}
