/// A length of time in whole seconds, never negative.
package struct TimeSpan: Sendable, Hashable, Comparable {
  package let seconds: Int64

  /// Makes a span; a negative value counts as 0, and anything beyond a century as a century.
  package init(seconds: Int64) { self.seconds = min(max(0, seconds), TimeSpan.longest) }

  private static let longest: Int64 = 100 * 366 * 86_400

  package static let zero = TimeSpan(seconds: 0)

  package static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.seconds < right.seconds }

  private static let units: [(Character, Int64)] = [
    ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800),
  ]

  /// Reads `90m`, `24h`, `7d`, also seconds `s` and weeks `w`, and a bare `0`; nil for anything else.
  package init?(_ text: String) {
    if text == "0" {
      self = .zero
      return
    }
    guard let last = text.last, let unit = TimeSpan.units.first(where: { $0.0 == last })?.1 else {
      return nil
    }
    let digits = text.utf8.dropLast()
    guard (1...9).contains(digits.count), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let count = Int64(String(text.dropLast()))
    else { return nil }
    let seconds = count * unit
    guard seconds <= TimeSpan.longest else { return nil }
    self.seconds = seconds
  }

  /// The span in the largest unit that divides it: `24h`, `7d`, `90m`, `0`; one day is written `24h`.
  package var text: String {
    if seconds == 0 { return "0" }
    if seconds % 86_400 == 0, seconds > 86_400 { return "\(seconds / 86_400)d" }
    if seconds % 3_600 == 0 { return "\(seconds / 3_600)h" }
    if seconds % 60 == 0 { return "\(seconds / 60)m" }
    return "\(seconds)s"
  }

  /// The span for people, in at most two units: `2d 4h`, `17m`.
  package var roundedText: String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
    if days > 0 { return hours > 0 ? "\(days)d \(hours)h" : "\(days)d" }
    if hours > 0 { return minutes > 0 ? "\(hours)h \(minutes)m" : "\(hours)h" }
    if minutes > 0 { return "\(minutes)m" }
    return "\(seconds)s"
  }
}
