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
      !words.text.isEmpty, !words.text.contains(" ")
    else { return false }
    platforms.insert(platform)
    take(.version, String(words.text))
    return true
  }

  private mutating func take(_ row: NoticeRow, _ value: String) {
    guard !value.isEmpty else { return }
    switch row {
    // Two values are as unclear as ten thousand, and searching through all of them for each row would take
    // quadratic time.
    case .name: if names.count < 2, !names.contains(value) { names.append(value) }
    case .sku: skus.insert(value)
    case .version:
      guard let version = try? Version(value, components: 3) else {
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
