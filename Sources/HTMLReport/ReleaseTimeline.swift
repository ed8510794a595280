import ReleaseModel

/// A picture of when releases were in review and live, from the beginning of the first until a moment.
///
/// The table of releases shows the same, so the picture is hidden from screen readers.
struct ReleaseTimeline {
  private let releases: [(release: Release, reviews: [Review])]
  private let start: Timestamp
  private let end: Timestamp

  /// Nil if there is no stretch of time to draw; the releases come newest first.
  init?(_ releases: [(release: Release, reviews: [Review])], until end: Timestamp) {
    self.releases = releases
    self.end = end
    let starts = releases.flatMap { [$0.release.liveAt, $0.reviews.first?.from].compactMap { $0 } }
    guard let start = starts.min(), start < end else { return nil }
    self.start = start
  }

  var markup: Markup {
    """
    <figure class="timeline">
    <svg width="100%" height="88" aria-hidden="true" focusable="false">
    \(ticks)\(live)\(inReview)</svg>
    <figcaption><span class="key pass"></span>in review, passed or open <span class="key fail"></span>in review, not passed <span class="key live"></span>live, one release after the other</figcaption>
    </figure>

    """
  }

  private func place(_ moment: Timestamp) -> Double {
    let length = Double(end.seconds - start.seconds)
    return 100 * Double(min(max(moment, start), end).seconds - start.seconds) / length
  }

  private func bar(
    _ kind: Markup, _ title: String, from: Timestamp, until: Timestamp, y: Int, height: Int
  ) -> Markup {
    let left = place(from)
    // A bar of a few hours among years would be invisible.
    let width = max(place(until) - left, 0.15)
    return """
      <rect class="\(kind)" x="\(Self.percent(left))" y="\(y)" width="\(Self.percent(width))" height="\(height)"><title>\(title)</title></rect>

      """
  }

  private var inReview: [Markup] {
    releases.flatMap { release, reviews in
      reviews.map { review in
        bar(
          review.isPassed ? "pass" : "fail", "\(release.version.text): \(review.text(at: end))",
          from: review.from, until: review.until ?? end, y: 8, height: 18)
      }
    }
  }

  private var live: [Markup] {
    var isOdd = false
    var next: Timestamp?
    return releases.compactMap { release, _ in
      guard let liveAt = release.liveAt else { return nil }
      let over = release.state == .removed ? release.removedAt : nil
      let until = max(liveAt, min(next ?? end, over ?? end))
      next = liveAt
      isOdd.toggle()
      return bar(
        isOdd ? "live" : "live odd", "\(release.version.text), live from \(liveAt.text)", from: liveAt,
        until: until, y: 34, height: 18)
    }
  }

  /// Lines at the beginnings of months or years, six at most.
  private var ticks: [Markup] {
    let (first, last) = (Month(start), Month(end))
    let steps = [1, 2, 3, 6, 12, 24, 60, 120, 600, 1_200, 12_000, 120_000]
    guard let step = steps.first(where: { (last.index - first.index) / $0 <= 6 }) else { return [] }
    var taken = 0.0
    return stride(from: first.index / step * step, through: last.index, by: step).compactMap { index in
      let month = Month(index: index)
      guard let moment = month.start, start < moment, moment < end else { return nil }
      let place = place(moment)
      // Near the end, a label is placed before its line, so that it is not cut off.
      let left = place > 97 - Self.labelWidth ? place - Self.labelWidth : place
      var label: Markup = ""
      if left >= taken {
        taken = left + Self.labelWidth
        let side: Markup = left < place ? "text-anchor=\"end\" dx=\"-4\"" : "dx=\"4\""
        let text = step < 12 ? month.text : "\(month.year)"
        label = "<text x=\"\(Self.percent(place))\" \(side) y=\"80\">\(text)</text>"
      }
      let x = Self.percent(place)
      return "<line x1=\"\(x)\" y1=\"0\" x2=\"\(x)\" y2=\"84\"/>\(label)\n"
    }
  }

  /// The share of the width that a label takes on the narrowest screens, in percent.
  private static let labelWidth = 13.5

  /// A number with two decimals; Swift's own text for a number may be `1e-05`.
  private static func percent(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
  }
}

private struct Month {
  /// Months since the year 0.
  let index: Int

  init(index: Int) { self.index = index }

  init(_ moment: Timestamp) {
    let parts = moment.text.split(separator: "-").compactMap { Int($0) }
    index = parts.count < 2 ? 12 : parts[0] * 12 + parts[1] - 1
  }

  var year: Int { index / 12 }

  /// `2026-03`.
  var text: String {
    let month = index % 12 + 1
    let digits = String(year)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + (month < 10 ? "-0" : "-")
      + String(month)
  }

  var start: Timestamp? { try? Timestamp("\(text)-01T00:00:00Z") }
}
