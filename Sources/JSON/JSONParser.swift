/// Why a text is not JSON, and where.
package struct JSONError: Error, Sendable, Equatable {
  /// What is wrong, in words that follow "line 3: ".
  package let reason: String
  /// Counted from 1.
  package let line: Int

  package init(reason: String, line: Int) {
    self.reason = reason
    self.line = line
  }
}

extension JSON {
  /// Deeper text is refused rather than exhausting the stack.
  package static let maximumDepth = 64

  /// Reads one JSON text (RFC 8259), strictly: no comments, no trailing commas, no repeated keys, valid
  /// UTF-8.
  ///
  /// - Throws: `JSONError` with the line of the first fault.
  package init(parsing text: some Collection<UInt8>) throws(JSONError) {
    let bytes = Array(text)
    var fault: JSONError?
    let value = bytes.withUnsafeBytes { text -> JSON? in
      var scan = JSONScan(text)
      if let value = scan.tree(), scan.isAtEnd { return value }
      fault = JSONError(
        reason: scan.fault, line: 1 + bytes.prefix(scan.position).reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) })
      return nil
    }
    if let fault { throw fault }
    self = value ?? .null
  }
}
