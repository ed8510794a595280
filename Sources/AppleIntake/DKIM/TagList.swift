/// A list of `name=value` pairs separated by semicolons (RFC 6376 §3.2).
struct TagList: Sendable, Equatable {
  let names: [String]
  private let values: [String: [UInt8]]

  /// Nil if the list breaks the grammar or repeats a name; a semicolon at the end is allowed.
  init?(_ text: [UInt8]) {
    var names: [String] = []
    var values: [String: [UInt8]] = [:]
    let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let part = trimmed(part)
      if part.isEmpty, index == parts.count - 1 { break }
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let name = trimmed(part[..<equals])
      guard let first = name.first, (0x61...0x7A).contains(first | 0x20),
        name.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: "_") })
      else { return nil }
      let value = trimmed(part[(equals + 1)...])
      guard value.allSatisfy({ $0 >= 0x21 && $0 < 0x7F || isBlank($0) || $0 == 0x0D || $0 == 0x0A }) else {
        return nil
      }
      let key = String(decoding: name, as: UTF8.self)
      guard values.updateValue(Array(value), forKey: key) == nil else { return nil }
      names.append(key)
    }
    self.names = names
    self.values = values
  }

  subscript(name: String) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }

  /// Without the blanks and line ends in the value, as base64 needs it.
  func compact(_ name: String) -> [UInt8]? {
    values[name]?.filter { !isBlank($0) && $0 != 0x0D && $0 != 0x0A }
  }

  /// The entries between colons, in lower case; nil if the name is missing.
  func list(_ name: String) -> [String]? {
    values[name]?.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map { lowercased(trimmed($0)) }
  }

  /// At most twelve digits; nil if the name is missing or its value is not a number.
  func number(_ name: String) -> Int64? {
    guard let value = values[name], (1...12).contains(value.count), value.allSatisfy(isDigit) else {
      return nil
    }
    return value.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}
