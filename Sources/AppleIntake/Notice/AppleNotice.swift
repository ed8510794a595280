package import ReleaseModel

/// What Apple says in a letter about one version of one app; worth as much as the proof of the mail.
///
/// The known wordings are those seen from 2013 to 2026. Anything else is left to a person to read, and the
/// grammar grows only by letters that were seen.
package struct AppleNotice: Sendable, Equatable {
  package private(set) var kind: NoticeKind
  /// What the subject names, even if the letter is unclear for another reason.
  package private(set) var says: ReleaseState?
  /// From the table or a link.
  package private(set) var appleID: Int64?
  /// As spelled in the letter.
  package private(set) var version: Version?
  package private(set) var platform: ApplePlatform?
  /// For doubts only, never for binding: names collide and may contain any text.
  private var name: String?
  private var otherItem: OtherMatter?
  /// The first reason why a field has no single value.
  private var doubt: String?

  private init(_ kind: NoticeKind) { self.kind = kind }

  package init(_ message: RawMessage, subject: String) {
    do {
      self.init(subject: subject, text: try MailText(message))
    } catch {
      self.init(.unclear("unreadable.\(error.rawValue)"))
    }
  }

  package init(subject: String, text: MailText) {
    self.init(.unclear("unknown-subject"))
    let plain = text.plain.map {
      NoticeFields(lines: textLines($0), links: NoticeFields.addresses(in: $0))
    }
    let html = text.html.map(HTMLText.init).map { NoticeFields(lines: $0.lines, links: $0.links) }
    let texts = [plain, html].compactMap(\.self)
    read(texts)
    let statements = texts.flatMap(\.statements)
    switch text.hasCalendar ? .other(.calendar) : NoticeSubject(subject, about: name) {
    case .other(let matter): kind = .other(matter)
    case .unknownState: kind = NoticeKind.unknownState
    case .unread: break
    case .unknown:
      // The subjects of iTunes Connect's letters are not known, but their sentences are.
      switch texts.contains(where: \.isOldForm) ? statements.first : nil {
      case .state(let state): take(state, statements)
      case .unknownState: kind = NoticeKind.unknownState
      case .approvedAtLeast, nil: break
      }
    case .state(let state, let name, let platform, let namesVersion):
      merge(name: name, platform: platform)
      take(state, statements, namesVersion: namesVersion)
    }
  }

  private mutating func read(_ texts: [NoticeFields]) {
    for field in NoticeField.allCases where texts.contains(where: { $0.malformed.contains(field) }) {
      raise("malformed", field)
    }
    // 1.2 and 1.2.0 are one version, but one letter spells it in only one way.
    version = one(.version, in: texts, ==).flatMap { try? Version($0, components: 3) }
    appleID = one(.appleID, in: texts, ==).flatMap { Int64($0) }
    platform = one(.platform, in: texts, ==).flatMap(ApplePlatform.init(rawValue:))
    name = one(.appName, in: texts, AppleNotice.isSameName)
    _ = one(.submissionID, in: texts, ==)
    _ = one(.sku, in: texts, AppleNotice.isSameName)
    otherItem = texts.flatMap(\.otherItems).min { $0.rawValue < $1.rawValue }
  }

  private mutating func merge(name subjectName: String?, platform subjectPlatform: ApplePlatform?) {
    if let name, let subjectName, !AppleNotice.isSameName(name, subjectName) {
      raise("contradiction", .appName)
    }
    if let platform, let subjectPlatform, platform != subjectPlatform { raise("contradiction", .platform) }
    platform = platform ?? subjectPlatform
  }

  /// Takes in the state that a letter is about, given what its sentences say.
  ///
  /// - Parameter namesVersion: Whether such a letter names its version.
  private mutating func take(
    _ state: ReleaseState, _ statements: [NoticeStatement], namesVersion: Bool = true
  ) {
    says = state
    kind =
      if statements.contains(.unknownState) {
        NoticeKind.unknownState
      } else if !statements.allSatisfy({ $0.agrees(with: state) }) {
        .unclear("contradiction.state")
      } else if version == nil, doubt == nil, let otherItem {
        .other(otherItem)
      } else if let doubt {
        .unclear(doubt)
      } else if version == nil {
        namesVersion ? .unclear("missing.version") : .namesNoVersion
      } else {
        appleID == nil ? .unclear("missing.apple-id") : .status(state)
      }
  }

  /// Two places of a letter may say different things: subject and text, plain and HTML, text and link.
  private mutating func raise(_ what: String, _ field: NoticeField) {
    doubt = doubt ?? "\(what).\(field.rawValue)"
  }

  private mutating func one(
    _ field: NoticeField, in texts: [NoticeFields], _ isSame: (String, String) -> Bool
  ) -> String? {
    let said = texts.compactMap { $0.values[field] }
    guard said.allSatisfy({ $0.count == 1 }) else {
      raise("ambiguous", field)
      return nil
    }
    let values = said.flatMap(\.self)
    guard let last = values.last, values.allSatisfy({ isSame($0, last) }) else {
      if !values.isEmpty { raise("contradiction", field) }
      return nil
    }
    return last
  }

  /// Whether two names are the same, where U+FFFD stands for a character that the charset could not express.
  private static func isSameName(_ left: String, _ right: String) -> Bool {
    let (left, right) = (straightened(left).unicodeScalars, straightened(right).unicodeScalars)
    return left.count == right.count
      && zip(left, right).allSatisfy { $0 == $1 || $0 == "\u{FFFD}" || $1 == "\u{FFFD}" }
  }
}

/// What one of Apple's letters amounts to.
package enum NoticeKind: Sendable, Equatable {
  case status(ReleaseState)
  case other(OtherMatter)
  /// A letter of thanks, feedback or welcome about a release that other letters name.
  case namesNoVersion
  /// A person has to read it, for a reason in docs/reasons.md, without its `mail.`.
  case unclear(String)

  static let unknownState = NoticeKind.unclear("unknown-state")
}

/// What letters that move no release are about.
package enum OtherMatter: String, Sendable, Equatable, CaseIterable {
  case reviewMessage = "review-message"
  case testFlight = "testflight"
  case buildProcessing = "build-processing"
  case deliveryIssues = "delivery-issues"
  case inAppEvent = "in-app-event"
  case customProductPage = "custom-product-page"
  /// Another item that is reviewed without a version of the app.
  case otherItem = "other-item"
  case agreement
  case receipt
  case calendar
  case maintenance
  /// A version that a newer one replaced; the newer one has its own letter.
  case replaced
}

/// A field that a letter may have.
package enum NoticeField: String, Sendable, Equatable, CaseIterable {
  case state
  case appName = "app-name"
  case appleID = "apple-id"
  case version
  case platform
  case submissionID = "submission-id"
  case sku
}
