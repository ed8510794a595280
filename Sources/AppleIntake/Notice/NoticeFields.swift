import Crypto
import ReleaseModel

/// What one text of a letter, plain or HTML, says about its subject.
struct NoticeFields {
  /// The values of each field that differ, by their spelling; two are as unclear as ten thousand, so no more are kept.
  private(set) var values: [NoticeField: [String]] = [:]
  private(set) var malformed: Set<NoticeField> = []
  private(set) var statements: [NoticeStatement] = []
  private(set) var isOldForm = false
  /// Headings of things that are reviewed but are not app versions.
  private(set) var otherItems: Set<OtherMatter> = []

  /// Reads the lines of a text, collapsed and none of them empty, and its links.
  init(lines: [String], links: [String]) {
    var index = 0
    while index < lines.count {
      let line = straightened(lines[index])
      index += 1
      if let (field, value) = NoticeFields.row(line) {
        var value = value
        // A table may have the label in one cell and the value in the next.
        if value.isEmpty, index < lines.count, NoticeFields.row(straightened(lines[index])) == nil {
          value = straightened(lines[index])
          index += 1
        }
        take(field, value)
      } else if ["app version", "app versions"].contains(lowercased(line)) {
        while index < lines.count, takeItem(straightened(lines[index])) { index += 1 }
      } else if let matter = NoticeFields.headings[lowercased(line)] {
        otherItems.insert(matter)
      } else {
        let (said, isOld) = NoticeStatement.read(line)
        statements += said
        isOldForm = isOldForm || isOld
      }
    }
    for link in links { read(link) }
  }

  private static let labels: [(String, NoticeField)] = [
    ("App Name:", .appName), ("App Version Number:", .version), ("App Version:", .version),
    ("App Apple ID:", .appleID), ("Apple ID:", .appleID), ("Platform:", .platform), ("App Type:", .platform),
    ("App SKU:", .sku), ("SKU:", .sku), ("Submission ID:", .submissionID),
  ]

  /// Reads a row of the table in a letter: `App Name: X`.
  static func row(_ line: String) -> (field: NoticeField, value: String)? {
    for (label, field) in labels {
      var words = Wording(line)
      if words.takePrefix(label) { return (field, String(words.text.drop { $0 == " " })) }
    }
    return nil
  }

  /// By their wording in lower case.
  private static let headings: [String: OtherMatter] = [
    "in-app events": .inAppEvent, "in-app event": .inAppEvent,
    "custom product pages": .customProductPage, "custom product page": .customProductPage,
    "product page optimization": .otherItem, "product page optimizations": .otherItem,
    "product page optimization tests": .otherItem, "in-app purchases": .otherItem,
    "in-app purchase": .otherItem, "subscriptions": .otherItem, "background assets": .otherItem,
    "game center": .otherItem,
  ]

  /// Takes `1.2.6 for iOS`; false if the line is something else.
  private mutating func takeItem(_ line: String) -> Bool {
    var words = Wording(line)
    guard let platformName = words.takeAfterLast(" for "),
      let platform = AppleVocabulary.platform(platformName),
      !words.text.isEmpty, !NoticeFields.withoutBuild(String(words.text)).contains(" ")
    else { return false }
    add(.platform, platform.rawValue)
    take(.version, String(words.text))
    return true
  }

  /// The version of `2.2.8 (45)`, whose build is in parentheses.
  private static func withoutBuild(_ value: String) -> String {
    let parts = value.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let build = parts.last, build.first == "(", build.last == ")",
      (try? Build(String(build.dropFirst().dropLast()))) != nil
    else { return value }
    return String(parts[0])
  }

  private mutating func take(_ field: NoticeField, _ value: String) {
    guard !value.isEmpty else { return }
    let read: String? =
      switch field {
      case .version: (try? Version(NoticeFields.withoutBuild(value), components: 3))?.text
      case .appleID:
        (1...15).contains(value.utf8.count) && value.utf8.allSatisfy(isDigit)
          ? Int64(value).map { String($0) } : nil
      case .platform: AppleVocabulary.platform(value)?.rawValue
      case .submissionID: lowercased(value)
      case .appName, .sku, .state: value
      }
    if let read { add(field, read) } else { malformed.insert(field) }
  }

  private mutating func add(_ field: NoticeField, _ value: String) {
    let known = values[field, default: []]
    if known.count < 2, !known.contains(value) { values[field] = known + [value] }
  }
}

// What links say.
extension NoticeFields {
  static let hosts = ["appstoreconnect.apple.com", "itunesconnect.apple.com"]

  /// Reads a link; one to any other host tells nothing.
  private mutating func read(_ link: String) {
    var words = Wording(link)
    guard words.takePrefix("https://") || words.takePrefix("http://") else { return }
    let rest = Array(words.text.utf8)
    let end = rest.firstIndex {
      $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
    }
    guard let end, NoticeFields.hosts.contains(lowercased(rest[..<end])) else { return }
    let path = unescaped(rest[end...], "%")
    for mark in ["/apps/", "/app/", "adamid="] {
      for place in places(of: mark, in: path[...]) {
        let start = place + mark.utf8.count
        let digits = path[start...].prefix(16).prefix { isDigit($0) }
        guard (1...15).contains(digits.count) else { continue }
        let next = start + digits.count
        if next < path.count, HeaderScanner.isAtomText(path[next]), !"/&?#".utf8.contains(path[next]) {
          continue
        }
        add(.appleID, String(digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }))
      }
    }
    let mark = "/reviewsubmissions/details/"
    for place in places(of: mark, in: path[...]) {
      let id = path.dropFirst(place + mark.utf8.count).prefix {
        hexadecimalDigit($0) != nil || $0 == UInt8(ascii: "-")
      }
      add(.submissionID, lowercased(id))
    }
    for (name, platform) in AppleVocabulary.parenthesized
    where !places(of: "/platform/\(name)/", in: path[...]).isEmpty {
      add(.platform, platform.rawValue)
    }
  }

  static func addresses(in text: String) -> [String] {
    text.utf8.split {
      $0 <= 0x20 || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "\"")
    }
    .filter { $0.starts(with: "http".utf8) || $0.starts(with: "(http".utf8) }
    .map { String(decoding: $0.first == UInt8(ascii: "(") ? $0.dropFirst() : $0, as: UTF8.self) }
  }
}
