import ReleaseModel

/// The appcast that Flutter's `upgrader` reads: one item for the newest version, and one tagged critical for
/// the forced one.
struct UpgraderFormat: DocumentFormat {
  var name: String { "upgrader" }

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    guard [.iOS, .macOS].contains(answers.app.platform) else {
      return answers.isNotFor(name, "such clients exist for ios and macos only")
    }
    let thresholds = Thresholds(answers, answers.decideWithoutSystem)
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
    let path = path(app, ".xml")
    let items = documents[path].flatMap { Markup.elements("item", in: String(decoding: $0, as: UTF8.self)) }
    var newest: (version: Version, url: String?)?
    var critical: Version?
    for item in items ?? [] {
      guard let text = Markup.elements("sparkle:version", in: item)?.first, let version = try? Version(text)
      else {
        continue
      }
      if newest.map({ $0.version < version }) ?? true {
        newest = (version, Markup.attribute("url", in: item))
      }
      if Markup.elements("sparkle:tags", in: item)?.first?.holds("<sparkle:criticalUpdate/>") == true {
        critical = max(critical ?? version, version)
      }
    }
    guard let newest else { return [.bounded(path, items == nil ? [] : [Bounds()])] }
    let forced = critical.map { min($0, newest.version) }
    return [.bounded(path, [Bounds(forced: forced, announced: newest.version, url: newest.url)])]
  }
}

/// The small part of XML that feeds need.
enum Markup {
  private static let escapes: [(character: Unicode.Scalar, escape: String)] = [
    ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;"),
    // A bare carriage return would be read as a line feed (XML 1.0 §2.11).
    ("\r", "&#13;"),
  ]

  /// Escapes a text for use between tags and in attributes; characters that XML forbids are left out (XML 1.0 §2.2).
  static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      if let found = escapes.first(where: { $0.character == scalar }) {
        out += found.escape
      } else if scalar >= " " && scalar != "\u{FFFE}" && scalar != "\u{FFFF}" || scalar == "\t"
        || scalar == "\n"
      {
        out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// What is in the elements of a name that has no attributes and none of its own in it; nil if one does not end.
  static func elements(_ name: String, in text: String) -> [String]? {
    var found: [String] = []
    for piece in pieces(text[...], by: "<\(name)>").dropFirst() {
      let parts = pieces(piece, by: "</\(name)>")
      guard parts.count > 1 else { return nil }
      found.append(String(parts[0]))
    }
    return found
  }

  /// The first attribute of a name, without escapes.
  static func attribute(_ name: String, in text: String) -> String? {
    guard let start = pieces(text[...], by: " \(name)=\"").dropFirst().first else { return nil }
    let value = String(start.prefix { $0 != "\"" })
    // The escape of the ampersand last, since others contain one.
    return escapes.reversed().reduce(value) {
      pieces($0[...], by: $1.escape).joined(separator: String($1.character))
    }
  }

  /// What is between the occurrences of a mark; the standard library's way would add a megabyte of regular expressions.
  private static func pieces(_ text: Substring, by mark: String) -> [Substring] {
    var (found, rest): ([Substring], Substring) = ([], text)
    while let tail = rest.rest(after: mark) {
      found.append(rest[..<rest.utf8.index(rest.endIndex, offsetBy: -(tail.utf8.count + mark.utf8.count))])
      rest = tail
    }
    return found + [rest]
  }
}

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
