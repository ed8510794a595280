package import ReleaseModel

/// What one of Apple's letters amounts to.
package enum NoticeKind: Sendable, Equatable {
  case status(ReleaseState)
  case other(OtherMatter)
  case unclear(NoticeDoubt)
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

/// Why a person has to read a letter.
package enum NoticeDoubt: Sendable, Hashable, CaseIterable {
  case unknownSubject
  case unknownState
  /// Two places of the letter say different things: subject and text, plain and HTML, text and link.
  case contradiction(NoticeField)
  case ambiguous(NoticeField)
  case malformed(NoticeField)
  /// Without it nobody knows which release is meant.
  case missing(NoticeField)
  case unreadable(MIMEFault)

  package static var allCases: [NoticeDoubt] {
    [.unknownSubject, .unknownState]
      + [contradiction, ambiguous, malformed, missing].flatMap(NoticeField.allCases.map)
      + MIMEFault.allCases.map(unreadable)
  }

  package var id: String {
    switch self {
    case .unknownSubject: "unknown-subject"
    case .unknownState: "unknown-state"
    case .contradiction(let field): "contradiction.\(field.rawValue)"
    case .ambiguous(let field): "ambiguous.\(field.rawValue)"
    case .malformed(let field): "malformed.\(field.rawValue)"
    case .missing(let field): "missing.\(field.rawValue)"
    case .unreadable(let fault): "unreadable.\(fault.rawValue)"
    }
  }
}
