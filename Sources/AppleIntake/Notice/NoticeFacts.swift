import ReleaseModel

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
