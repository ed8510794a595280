package import JSON

/// A key and value handed to clients, possibly different while their version is in review and after.
///
/// A setting chooses between services such as two map keys; Apple's guideline 2.3.1 forbids hiding features.
package struct Setting: Ranged, Timed, Sendable, Equatable {
  /// When a setting counts.
  package enum Phase: String, Sendable, CaseIterable {
    /// While the client's version is not released.
    case review
    /// Once it is.
    case released
  }

  /// Counts up through the ledger; the newer setting has the higher number.
  package let number: Int64
  package let key: String
  package let range: VersionRange
  package let phase: Phase?
  package let value: String
  /// The first moment at which the setting counts; nil for always.
  package var from: Timestamp?
  /// The first moment at which it no longer counts; nil for never.
  package var until: Timestamp?
  /// The number of the event that last changed the setting.
  package var event: Int64

  package init(
    number: Int64, key: String, range: VersionRange, phase: Phase?, value: String, from: Timestamp? = nil,
    until: Timestamp? = nil, event: Int64 = 0
  ) {
    self.number = number
    self.key = key
    self.range = range
    self.phase = phase
    self.value = value
    self.from = from
    self.until = until
    self.event = event
  }

  /// Whether this wins over another: one for a phase over one without, else as its range does.
  package func wins(over other: Setting) -> Bool {
    (phase != nil) != (other.phase != nil) ? phase != nil : winsByRange(over: other)
  }

  /// The longest value, in bytes.
  package static let longestValue = 4_096

  /// Whether a text may be a key: up to 64 letters, digits, points, hyphens and underscores.
  package static func isKey(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
          || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
      }
  }

  /// The setting as commands and events show it.
  package func json(app: String) -> JSON {
    [
      "number": .integer(number), "app": .string(app), "key": .string(key), "range": .string(range.text),
      "during": .optional(phase?.rawValue), "value": .string(value), "from": .optional(from?.text),
      "until": .optional(until?.text),
    ]
  }

  /// Reads a setting back from what `json(app:)` wrote; nil where it wrote something else.
  package init?(json: JSON) {
    guard let number = json["number"]?.integer, let key = json["key"]?.string,
      let range = json["range"]?.string.flatMap({ try? VersionRange($0) }), let value = json["value"]?.string
    else { return nil }
    self.init(
      number: number, key: key, range: range, phase: json["during"]?.string.flatMap(Phase.init(rawValue:)),
      value: value, from: json["from"]?.string.flatMap { try? Timestamp($0) },
      until: json["until"]?.string.flatMap { try? Timestamp($0) })
  }
}
