import ReleaseModel

extension Timestamp {
  /// The moment as feeds write it: `Fri, 20 Nov 2026 08:00:00 +0000` (RFC 822 with the year in four digits).
  var feedText: String {
    let text = Array(text)
    let month = Int(String(text[5..<7])) ?? 1
    // Days are counted from a Thursday; before it, they are rounded down.
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let weekday = Int(((days + 4) % 7 + 7) % 7)
    return "\(Timestamp.weekdays[weekday]), \(String(text[8..<10])) \(Timestamp.months[month - 1]) "
      + "\(String(text[..<4])) \(String(text[11..<19])) +0000"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
