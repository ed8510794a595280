import Crypto
import ReleaseModel

/// What one text of a letter, plain or HTML, says about its subject; each field with all its values.
struct NoticeFields: Equatable {
  var names: [String] = []
  var versions: [Version] = []
  var appleIDs: Set<Int64> = []
  var platforms: Set<ApplePlatform> = []
  var submissionIDs: Set<String> = []
  var skus: Set<String> = []
  var malformed: Set<NoticeField> = []
  var statements: [NoticeStatement] = []
  var isOldForm = false
  /// Headings of things that are reviewed but are not app versions.
  var otherItems: Set<OtherMatter> = []

  init() {}

  /// Reads the lines of a text, collapsed and none of them empty, and its links.
  init(lines: [String], links: [String]) {
    var index = 0
    while index < lines.count {
      let line = straightened(lines[index])
      index += 1
      if let (row, value) = NoticeRow.read(line) {
        var value = value
        // A table may have the label in one cell and the value in the next.
        if value.isEmpty, index < lines.count, NoticeRow.read(straightened(lines[index])) == nil {
          value = straightened(lines[index])
          index += 1
        }
        take(row, value)
      } else if let item = NoticeFields.heading(line) {
        guard case .version = item else {
          if case .other(let matter) = item { otherItems.insert(matter) }
          continue
        }
        while index < lines.count, takeItem(straightened(lines[index])) { index += 1 }
      } else {
        let (said, isOld) = NoticeStatement.read(line)
        statements += said
        isOldForm = isOldForm || isOld
      }
    }
    var read = NoticeLinks()
    for link in links { read.read(link) }
    appleIDs.formUnion(read.appleIDs)
    submissionIDs.formUnion(read.submissionIDs)
    platforms.formUnion(read.platforms)
  }

  private enum Item {
    case version
    case other(OtherMatter)
  }

  private static func heading(_ line: String) -> Item? {
    switch lowercased(line) {
    case "app version", "app versions": .version
    case "in-app events", "in-app event": .other(.inAppEvent)
    case "custom product pages", "custom product page": .other(.customProductPage)
    case "product page optimization", "product page optimizations", "product page optimization tests",
      "in-app purchases", "in-app purchase", "subscriptions", "background assets", "game center":
      .other(.otherItem)
    default: nil
    }
  }

  /// Takes `1.2.6 for iOS`; false if the line is something else.
  private mutating func takeItem(_ line: String) -> Bool {
    var words = Wording(line)
    guard let platformName = words.takeAfterLast(" for "),
      let platform = AppleVocabulary.platform(platformName),
      !words.text.isEmpty, !NoticeFields.withoutBuild(String(words.text)).contains(" ")
    else { return false }
    platforms.insert(platform)
    take(.version, String(words.text))
    return true
  }

  /// The version of `2.2.8 (45)`, whose build is in parentheses.
  private static func withoutBuild(_ value: String) -> String {
    let parts = value.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let build = parts.last, build.first == "(", build.last == ")",
      (try? Version(String(build.dropFirst().dropLast()), components: 3)) != nil
    else { return value }
    return String(parts[0])
  }

  private mutating func take(_ row: NoticeRow, _ value: String) {
    guard !value.isEmpty else { return }
    switch row {
    // Two values are as unclear as ten thousand, and searching through all of them for each row would take
    // quadratic time.
    case .name: if names.count < 2, !names.contains(value) { names.append(value) }
    case .sku: skus.insert(value)
    case .version:
      guard let version = try? Version(NoticeFields.withoutBuild(value), components: 3) else {
        malformed.insert(.version)
        return
      }
      // 1.2 and 1.2.0 are one version, but one letter spells it in only one way.
      if versions.count < 2, !versions.contains(where: { $0.isSpelled(like: version) }) {
        versions.append(version)
      }
    case .appleID:
      guard (1...15).contains(value.utf8.count), value.utf8.allSatisfy(isDigit), let id = Int64(value) else {
        malformed.insert(.appleID)
        return
      }
      appleIDs.insert(id)
    case .platform:
      guard let platform = AppleVocabulary.platform(value) else {
        malformed.insert(.platform)
        return
      }
      platforms.insert(platform)
    case .submissionID: submissionIDs.insert(lowercased(value))
    }
  }
}

/// A row of the table in a letter: `App Name: X`.
enum NoticeRow {
  case name, version, appleID, platform, submissionID, sku

  private static let labels: [(String, NoticeRow)] = [
    ("App Name:", .name), ("App Version Number:", .version), ("App Version:", .version),
    ("App Apple ID:", .appleID), ("Apple ID:", .appleID), ("Platform:", .platform), ("App Type:", .platform),
    ("App SKU:", .sku), ("SKU:", .sku), ("Submission ID:", .submissionID),
  ]

  static func read(_ line: String) -> (row: NoticeRow, value: String)? {
    for (label, row) in labels {
      var words = Wording(line)
      if words.takePrefix(label) { return (row, String(words.text.drop { $0 == " " })) }
    }
    return nil
  }
}

/// The single value of each field in a whole letter, or the first reason why one is missing.
struct NoticeFacts {
  /// For doubts only, never for binding: names collide and may contain any text.
  private var name: String?
  private(set) var appleID: Int64?
  private(set) var version: Version?
  private(set) var platform: ApplePlatform?
  private(set) var otherItem: OtherMatter?
  private(set) var doubt: NoticeDoubt?

  init() {}

  init(plain: NoticeFields?, html: NoticeFields?) {
    let (plain, html) = (plain ?? NoticeFields(), html ?? NoticeFields())
    for field in NoticeField.allCases {
      if plain.malformed.contains(field) || html.malformed.contains(field) { raise(.malformed(field)) }
    }
    version = one(.version, plain.versions, html.versions) { $0.isSpelled(like: $1) }
    appleID = one(.appleID, Array(plain.appleIDs), Array(html.appleIDs), ==)
    platform = one(.platform, Array(plain.platforms), Array(html.platforms), ==)
    name = one(.appName, plain.names, html.names, NoticeFacts.isSameName)
    _ = one(.submissionID, Array(plain.submissionIDs), Array(html.submissionIDs), ==)
    _ = one(.sku, Array(plain.skus), Array(html.skus), NoticeFacts.isSameName)
    let items = plain.otherItems.union(html.otherItems)
    otherItem = items.min { $0.rawValue < $1.rawValue }
  }

  mutating func merge(name subjectName: String?, platform subjectPlatform: ApplePlatform?) {
    if let subjectName {
      if let name, !NoticeFacts.isSameName(name, subjectName) { raise(.contradiction(.appName)) }
      name = name.map { $0.contains("\u{FFFD}") ? subjectName : $0 } ?? subjectName
    }
    if let subjectPlatform {
      if let platform, platform != subjectPlatform { raise(.contradiction(.platform)) }
      platform = platform ?? subjectPlatform
    }
  }

  private mutating func raise(_ next: NoticeDoubt) { doubt = doubt ?? next }

  private mutating func one<Value>(
    _ field: NoticeField, _ plain: [Value], _ html: [Value], _ isSame: (Value, Value) -> Bool
  ) -> Value? {
    guard plain.count <= 1, html.count <= 1 else {
      raise(.ambiguous(field))
      return nil
    }
    if let first = plain.first, let second = html.first, !isSame(first, second) {
      raise(.contradiction(field))
      return nil
    }
    return html.first ?? plain.first
  }

  /// Whether two names are the same, where U+FFFD stands for a character that the charset could not express.
  static func isSameName(_ left: String, _ right: String) -> Bool {
    let (left, right) = (straightened(left).unicodeScalars, straightened(right).unicodeScalars)
    return left.count == right.count
      && zip(left, right).allSatisfy { $0 == $1 || $0 == "\u{FFFD}" || $1 == "\u{FFFD}" }
  }
}

struct NoticeLinks: Equatable {
  private(set) var appleIDs: Set<Int64> = []
  private(set) var submissionIDs: Set<String> = []
  private(set) var platforms: Set<ApplePlatform> = []

  static let hosts = ["appstoreconnect.apple.com", "itunesconnect.apple.com"]

  /// Reads a link; one to any other host tells nothing.
  mutating func read(_ link: String) {
    var words = Wording(link)
    guard words.takePrefix("https://") || words.takePrefix("http://") else { return }
    let rest = Array(words.text.utf8)
    let end = rest.firstIndex {
      $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
    }
    guard let end, NoticeLinks.hosts.contains(lowercased(rest[..<end])) else { return }
    let path = unescaped(rest[end...], "%")
    for mark in ["/apps/", "/app/", "adamid="] {
      for start in NoticeLinks.places(of: mark, in: path) {
        let digits = path[start...].prefix(16).prefix { isDigit($0) }
        guard (1...15).contains(digits.count) else { continue }
        let next = start + digits.count
        guard
          next == path.count || !HeaderScanner.isAtomText(path[next]) || path[next] == UInt8(ascii: "/")
            || path[next] == UInt8(ascii: "&") || path[next] == UInt8(ascii: "?")
            || path[next] == UInt8(ascii: "#")
        else { continue }
        appleIDs.insert(digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) })
      }
    }
    for start in NoticeLinks.places(of: "/reviewsubmissions/details/", in: path) {
      let id = path[start...].prefix { hexadecimalDigit($0) != nil || $0 == UInt8(ascii: "-") }
      submissionIDs.insert(lowercased(id))
    }
    for (name, platform) in AppleVocabulary.parenthesized
    where !NoticeLinks.places(of: "/platform/\(lowercased(name))/", in: path).isEmpty {
      platforms.insert(platform)
    }
  }

  private static func places(of mark: String, in path: [UInt8]) -> [Int] {
    let mark = Array(mark.utf8)
    guard path.count >= mark.count else { return [] }
    return (0...(path.count - mark.count)).filter { start in
      zip(path[start...], mark).allSatisfy { lowercased($0) == $1 }
    }.map { $0 + mark.count }
  }

  static func addresses(in text: String) -> [String] {
    text.utf8.split {
      $0 <= 0x20 || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "\"")
    }
    .filter { $0.starts(with: "http".utf8) || $0.starts(with: "(http".utf8) }
    .map { String(decoding: $0.first == UInt8(ascii: "(") ? $0.dropFirst() : $0, as: UTF8.self) }
  }
}
