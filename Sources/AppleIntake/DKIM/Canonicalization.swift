/// How text is normalized before it is signed (RFC 6376 §3.4).
package enum Canonicalization: String, Sendable {
  case simple
  case relaxed

  /// Returns a header field in the form that is signed, with its CRLF.
  package func header(_ field: HeaderField) -> [UInt8] {
    switch self {
    case .simple: Array(field.raw)
    case .relaxed:
      Array("\(field.key):".utf8) + Canonicalization.collapsedValue(field.rawValue) + [0x0D, 0x0A]
    }
  }

  /// Returns a body of CRLF lines in the form that is signed.
  package func body(_ body: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(body.count + 2)
    // Where the last non-empty line ends: empty lines at the end are not signed.
    var kept = 0
    var start = body.startIndex
    while start < body.endIndex {
      let end = body[start...].firstIndex(of: 0x0A) ?? body.endIndex
      var line = body[start..<end]
      if line.last == 0x0D { line.removeLast() }
      let before = out.count
      if self == .relaxed { Canonicalization.appendCollapsed(line, to: &out) } else { out += line }
      let isEmpty = out.count == before
      out.append(0x0D)
      out.append(0x0A)
      if !isEmpty { kept = out.count }
      start = min(end + 1, body.endIndex)
    }
    out.removeLast(out.count - kept)
    // §3.4.3: the simple form of no body is one CRLF; §3.4.4: the relaxed form is nothing.
    if self == .simple, out.isEmpty { return [0x0D, 0x0A] }
    return out
  }

  /// With each run of blanks collapsed to one, and none at its end.
  private static func appendCollapsed(_ line: ArraySlice<UInt8>, to out: inout [UInt8]) {
    var wantsBlank = false
    for byte in line {
      if isBlank(byte) {
        wantsBlank = true
      } else {
        if wantsBlank { out.append(0x20) }
        wantsBlank = false
        out.append(byte)
      }
    }
  }

  /// Returns a field's value unfolded, with runs of blanks collapsed, and none at either end.
  static func collapsedValue(_ value: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    appendCollapsed(trimmed(value).filter { $0 != 0x0D && $0 != 0x0A }[...], to: &out)
    return out
  }
}
