import ReleaseModel

/// The appcast that Flutter's `upgrader` reads: one item for the newest version, and one tagged critical for
/// the forced one.
struct UpgraderFormat: DocumentFormat {
  var name: String { "upgrader" }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    guard [.iOS, .macOS].contains(answers.app.platform) else {
      return answers.isNotFor(name, "such clients exist for ios and macos only")
    }
    let thresholds = Thresholds(answers.lineWithoutSystem(), answers)
    let app = answers.app
    var text = """
      <?xml version="1.0" encoding="utf-8"?>
      <rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle">
      <channel>
      <title>\(Markup.escaped(app.name ?? app.slug))</title>

      """
    if let thresholds {
      // If all that are prompted are forced, the newest item is the critical one.
      let isOne = thresholds.forced == thresholds.announced
      text += item(thresholds.announced, thresholds, app, isCritical: isOne)
      if let forced = thresholds.forced, !isOne {
        text += item(forced, thresholds, app, isCritical: true)
      }
    }
    text += "</channel>\n</rss>\n"
    let document = Document(path: path(app.slug, ".xml"), bytes: Array(text.utf8))
    return ([document], answers.componentCounts(format: name, mixed: false))
  }

  /// An item; it names no system, since a client that does not report its own would drop it.
  private func item(_ version: Version, _ thresholds: Thresholds, _ app: App, isCritical: Bool) -> String {
    let target = thresholds.target
    var lines = ["<item>", "<title>\(target.version.text)</title>"]
    // Clients take these from the newest item.
    if version == thresholds.announced {
      if let notes = target.note(for: nil) {
        lines.append("<description>\(Markup.escaped(notes))</description>")
      }
      if let date = target.liveAt { lines.append("<pubDate>\(date.feedText)</pubDate>") }
    }
    lines.append("<sparkle:version>\(version.text)</sparkle:version>")
    if isCritical { lines.append("<sparkle:tags><sparkle:criticalUpdate/></sparkle:tags>") }
    lines.append(
      "<enclosure url=\"\(Markup.escaped(thresholds.url))\" sparkle:os=\"\(app.platform.rawValue)\" length=\"0\" "
        + "type=\"application/octet-stream\"/>")
    lines.append("</item>\n")
    return lines.joined(separator: "\n")
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    guard let feed = documents[path(app, ".xml")].flatMap(Markup.Element.init(parsing:)) else {
      return [.blind(path(app, ".xml"))]
    }
    var newest: (version: Version, url: String?)?
    var critical: Version?
    for item in feed.all("item") {
      guard let version = item.all("sparkle:version").first.flatMap({ try? Version($0.text) }) else {
        continue
      }
      if newest.map({ $0.version.isBelow(inThreeComponents: version) }) ?? true {
        newest = (version, item.all("enclosure").first?.attributes["url"])
      }
      if item.all("sparkle:tags").contains(where: { !$0.all("sparkle:criticalUpdate").isEmpty }),
        critical.map({ $0.isBelow(inThreeComponents: version) }) ?? true
      {
        critical = version
      }
    }
    let (best, forced) = (newest, critical)
    let bounds = [best?.version, forced].compactMap(\.self)
    let client = DocumentClient(path: path(app, ".xml"), bounds: bounds) { version in
      { _ in
        guard let best, version.isBelow(inThreeComponents: best.version) else { return Conclusion(.none) }
        let isForced = forced.map { version.isBelow(inThreeComponents: $0) } ?? false
        return Conclusion(isForced ? .force : .remind, url: best.url)
      }
    }
    return [client]
  }
}
