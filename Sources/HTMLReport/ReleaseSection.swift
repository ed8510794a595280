import ReleaseModel

extension AppReport {
  var releaseSection: Markup {
    guard !line.releases.isEmpty else { return "<p>Nothing is published yet.</p>\n" }
    let shown = releases.map { (release: $0, reviews: reviews.reviews(of: $0.id)) }
    let longest = shown.map { length($0.reviews) }.max() ?? 0
    let caption: Markup =
      shown.count == line.releases.count
      ? "All \(shown.count) releases, newest first"
      : "The newest \(shown.count) of \(line.releases.count) releases, newest first"
    var table = Table(
      "release-table", caption: caption,
      ["Version", "State", "In review", "Live (UTC)", "Minimum OS", "Notes"])
    for (release, reviews) in shown {
      let build: Markup = release.build.map { " <span class=\"soft\">(\($0.text))</span>" } ?? ""
      let mandatory: Markup = release.isMandatory ? " <span class=\"tag force\">mandatory</span>" : ""
      table.add([
        "\(release.version.text)\(build)\(mandatory)", state(release), bars(reviews, longest: longest),
        live(release), release.minOS.map { "\($0.text)" } ?? .nothing, notes(release),
      ])
    }
    let timeline = ReleaseTimeline(shown, until: moment)?.markup ?? ""
    return "\(timeline)\(summary(of: shown.map(\.reviews)))\(table.markup)"
  }

  private func state(_ release: Release) -> Markup {
    let kind: Markup = release.state == .live ? "tag good" : "tag"
    let tag: Markup = "<span class=\"\(kind)\">\(release.state.rawValue)</span>"
    // The date it went live is shown beside it, and it was superseded when the next one went live.
    if release.state == .live || release.state == .superseded { return tag }
    return "\(tag) <span class=\"soft\">since \(Markup.time(release.since.text))</span>"
  }

  private func live(_ release: Release) -> Markup {
    guard let liveAt = release.liveAt else { return .nothing }
    guard let visibleAt = release.visibleAt, visibleAt != liveAt else { return .time(liveAt.text) }
    let words: Markup = release.isHeld(at: moment) ? "held: clients are told from" : "clients told from"
    return
      "\(Markup.time(liveAt.text))<br><span class=\"soft\">\(words) \(Markup.time(visibleAt.text))</span>"
  }

  private func notes(_ release: Release) -> Markup {
    guard !release.notes.isEmpty else { return .nothing }
    let notes = release.notes.map { note -> Markup in
      let text = note.text.prefix(AppReport.noteLimit)
      let rest: Markup =
        text.endIndex == note.text.endIndex
        ? "" : "\n<span class=\"soft\">(cut; the rest is in the ledger)</span>"
      let language: Markup = note.locale == Note.undetermined ? "" : " lang=\"\(note.locale)\""
      return
        "<div class=\"note\"><b>\(note.locale)</b>\n<span\(language) dir=\"auto\">\(String(text))</span>\(rest)</div>"
    }
    let languages = release.notes.map(\.locale).joined(separator: ", ")
    return "<details><summary>\(languages)</summary>\(notes)</details>"
  }

  /// The most characters of a note on a page; a store accepts 4,000 (App Store Connect, "What's New in This
  /// Version").
  private static let noteLimit = 4_000

  private func length(_ reviews: [Review]) -> Int64 {
    reviews.reduce(0) { $0 + $1.length(at: moment).seconds }
  }

  /// A bar as long as the reviews took, where the longest on the page is full, with the same in words.
  private func bars(_ reviews: [Review], longest: Int64) -> Markup {
    guard !reviews.isEmpty else { return .nothing }
    var start: Int64 = 0
    let bars = reviews.map { review -> Markup in
      // In thousandths; moments lie in the years 1 to 9999, so nothing overflows.
      let width = review.length(at: moment).seconds * 1_000 / max(longest, 1)
      defer { start += width }
      let kind: Markup = review.isPassed ? "pass" : "fail"
      return "<rect class=\"\(kind)\" x=\"\(start)\" y=\"0\" width=\"\(max(width, 8))\" height=\"10\"/>"
    }
    let words = reviews.map { review -> Markup in "<li>\(Markup.said(review.text(at: moment)))</li>" }
    return """
      <svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">\(bars)</svg>\
      <ul class="plain">\(words)</ul>
      """
  }

  private func summary(of all: [[Review]]) -> Markup {
    let passed = all.joined().filter { $0.isPassed && $0.until != nil }.map { $0.length(at: moment).seconds }
      .sorted()
    guard let shortest = passed.first, let longest = passed.last else {
      return "<p>No complete review is recorded.</p>\n"
    }
    func words(_ seconds: Int64) -> String { TimeSpan(seconds: seconds).roundedText }
    if passed.count == 1 { return "<p>One review passed, in \(words(longest)).</p>\n" }
    if passed.count == 2 {
      return "<p>Two reviews passed, in \(words(shortest)) and \(words(longest)).</p>\n"
    }
    // The lower of the two in the middle, since it is one that actually happened.
    return """
      <p>Of \(passed.count) reviews that passed, the shortest took \(words(shortest)), the median one \
      \(words(passed[(passed.count - 1) / 2])), the longest \(words(longest)); from waiting for review until approved \
      or live.</p>

      """
  }
}

extension Review {
  func text(at now: Timestamp) -> String {
    let length = length(at: now).roundedText
    guard let outcome else { return "\(length) so far" }
    return "\(length), then \(outcome.rawValue)"
      + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; "))
  }
}
