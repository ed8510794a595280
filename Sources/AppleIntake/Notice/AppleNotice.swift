package import ReleaseModel

/// What Apple says in a letter about one version of one app; worth as much as the proof of the mail.
///
/// The known wordings are those seen from 2013 to 2026. Anything else is left to a person to read, and the
/// grammar grows only by letters that were seen.
package struct AppleNotice: Sendable, Equatable {
  package let kind: NoticeKind
  /// What the subject names, even if the letter is unclear for another reason.
  package let says: ReleaseState?
  /// From the table or a link.
  package let appleID: Int64?
  /// As spelled in the letter.
  package let version: Version?
  package let platform: ApplePlatform?

  package init(_ message: RawMessage, subject: String) {
    do {
      self.init(subject: subject, text: try MailText(message))
    } catch {
      self.init(kind: .unclear("unreadable.\(error.rawValue)"), says: nil, facts: NoticeFacts())
    }
  }

  package init(subject: String, text: MailText) {
    let plain = text.plain.map {
      NoticeFields(lines: textLines($0), links: NoticeFields.addresses(in: $0))
    }
    let html = text.html.map(HTMLText.init).map { NoticeFields(lines: $0.lines, links: $0.links) }
    let texts = [plain, html].compactMap(\.self)
    let isListed = NoticeSubject.isWithoutVersion(subject)
    let subject = text.hasCalendar ? NoticeSubject.other(.calendar) : NoticeSubject(subject)
    var facts = NoticeFacts(texts)
    let statements = texts.flatMap(\.statements)
    let judged: (kind: NoticeKind, says: ReleaseState?)
    switch subject {
    case .other(let matter): judged = (.other(matter), nil)
    case .unknownState: judged = (.unclear(NoticeKind.unknownState), nil)
    case .unknown:
      // The subjects of iTunes Connect's letters are not known, but their sentences are.
      switch texts.contains(where: \.isOldForm) ? statements.first : nil {
      case .state(let state): judged = (facts.kind(of: state, statements), state)
      case .unknownState: judged = (.unclear(NoticeKind.unknownState), nil)
      case .approvedAtLeast, nil: judged = (.unclear("unknown-subject"), nil)
      }
    case .state(let state, let name, let platform):
      facts.merge(name: name, platform: platform)
      judged = (facts.kind(of: state, statements, isListed: isListed), state)
    }
    self.init(kind: judged.kind, says: judged.says, facts: facts)
  }

  private init(kind: NoticeKind, says: ReleaseState?, facts: NoticeFacts) {
    self.kind = kind
    self.says = says
    appleID = facts.appleID
    version = facts.version
    platform = facts.platform
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

  static let unknownState = "unknown-state"
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
