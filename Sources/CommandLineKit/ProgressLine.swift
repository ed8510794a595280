/// One line on a terminal that shows the progress of a long piece of work, overwriting itself.
package struct ProgressLine: Sendable {
  /// The seconds before the line first appears: most work is finished by then.
  package static let delay = 0.3
  /// In seconds, the least.
  package static let interval = 0.1
  /// Moves to the start of the line and erases it (ECMA-48 8.3.41, "erase in line").
  private static let erasing = "\r\u{1B}[K"

  private var nextAt: Double
  private var isShown = false

  /// Starts at a moment of a monotonic clock, in seconds.
  package init(startedAt seconds: Double) { nextAt = seconds + ProgressLine.delay }

  /// The text to write at a moment; nil if nothing is to be written.
  ///
  /// - Parameters:
  ///   - total: The total that `done` counts towards; 0 if unknown.
  ///   - width: The cells of the terminal; one is left free, so that no line wraps.
  package mutating func update(_ what: String, _ done: Int, of total: Int, at seconds: Double, width: Int)
    -> String?
  {
    guard seconds >= nextAt else { return nil }
    nextAt = seconds + ProgressLine.interval
    isShown = true
    return ProgressLine.erasing + ProgressLine.text(what, done, of: total, width: max(width - 1, 1))
  }

  /// Empty if no line is shown.
  package mutating func erase() -> String {
    defer { isShown = false }
    return isShown ? ProgressLine.erasing : ""
  }

  /// `taking in mails  413 of 2,000`.
  package static func text(_ what: String, _ done: Int, of total: Int, width: Int) -> String {
    let part = max(done, 0)
    let count = total > 0 ? "\(grouped(min(part, total))) of \(grouped(total))" : grouped(part)
    return truncated("\(printable(what))  \(count)", width: width)
  }
}

/// A count with a comma between groups of three digits: `2,000`.
package func grouped(_ count: Int) -> String {
  let digits = String(count.magnitude)
  var text = ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { text += "," }
    text.append(digit)
  }
  return count < 0 ? "-" + text : text
}

/// A count of things: `1 range`, `2,000 ranges`.
package func grouped(_ count: Int, _ thing: String) -> String {
  "\(grouped(count)) \(thing)\(count == 1 ? "" : "s")"
}
