import AppleIntake
package import Intake
import ReleaseModel

/// The only place that says in words why evidence got its outcome.
extension IntakeReason {
  /// What the reason means: a clause without a capital or a full stop.
  package var words: String {
    switch self {
    case .message(let fault): fault.words
    case .proof(let failure): failure.words
    case .letter(let doubt): doubt.words
    case .other(let matter): "proved, but about something else: \(matter.words)"
    case .mail(.notApple): "its From does not claim to be Apple; only hash and header are kept"
    case .mail(.future): "its Date is more than 10 minutes after its receipt"
    case .mail(.unclear): "proved, but it names no version or no Apple ID"
    case .lookup(let reason): reason.words
    case .webhook(let reason): reason.words
    case .connect(let reason): reason.words
    case .binding(let kind, let reason): reason.words(kind)
    case .law(_, let law): "a law refuses the move: \(law.words)"
    case .inbox(.applied): "a person read it and applied it"
    }
  }
}

extension MessageFault {
  fileprivate var words: String {
    switch self {
    case .tooLarge: "more than 1 MiB"
    case .nul: "a NUL byte, which some programs take for the end"
    case .bareCarriageReturn: "a carriage return without a line feed, which programs interpret differently"
    case .noHeader: "no header"
    case .malformedField: "a header line that is not a field"
    case .tooManyFields: "more than 500 header fields"
    case .fieldTooLong: "a header field of more than 64 KiB"
    }
  }
}

extension ProofFailure {
  fileprivate var words: String {
    switch self {
    case .header(let fault): fault.words
    case .signature(let failure): "no valid signature: \(failure.words)"
    case .server(let failure):
      "no valid signature, and your mail server does not vouch for it: \(failure.words)"
    case .uncovered(let failure):
      "your mail server says dkim=pass, but that is not enough: \(failure.words)"
    }
  }
}

extension ProofFailure.Header {
  fileprivate var words: String {
    switch self {
    case .missingField: "From, To, Subject, Date, Message-ID or Content-Type is missing"
    case .repeatedField: "a field that must occur once occurs twice"
    case .malformedFrom: "From is not a readable address"
    case .severalSenders: "From has several addresses"
    case .wrongSender: "From is not no_reply@email.apple.com"
    case .malformedTo: "To is not a readable address"
    case .wrongRecipient: "To is not exactly one trusted recipient"
    case .malformedDate: "Date is not a valid date"
    case .malformedMessageID: "Message-ID is malformed"
    case .nothingTrusted:
      "no key is trusted, and no trusted mail server handed it in"
    }
  }
}

extension DKIMFailure {
  fileprivate var words: String {
    switch self {
    case .noSignature: "there is no DKIM signature"
    case .tooManySignatures: "there are more than 10 signatures"
    case .malformedSignature: "a signature field is malformed"
    case .unknownAlgorithm: "the algorithm is not rsa-sha256 or ed25519-sha256"
    case .unknownSelector: "no key is pinned for its selector"
    case .keyNotForThis: "the pinned key is for another algorithm, or not for mail"
    case .revokedKey: "the pinned key is revoked"
    case .testKey: "the pinned key is only for testing"
    case .keyTooShort: "the pinned RSA key is shorter than 1024 bits"
    case .lengthTag: "it signs only the beginning of the body"
    case .bodyHashMismatch: "the body is not the one that was signed"
    case .badSignature: "the header is not the one that was signed, or another key signed it"
    case .expired: "it has expired"
    case .futureSignature: "its time is in the future"
    case .missingSignedHeader: "it does not cover all six header fields"
    case .wrongDomain: "its domain is not that of From"
    }
  }
}

extension ServerFailure {
  fileprivate var words: String {
    switch self {
    case .noResults: "it added no Authentication-Results"
    case .severalResults: "there are several Authentication-Results of that name"
    case .malformedResults: "its Authentication-Results is malformed"
    case .belowForeignReceived: "the field stands below a Received line of another server"
    case .noDKIMPass: "it does not say dkim=pass for email.apple.com"
    case .noDMARCPass: "it does not say dmarc=pass for email.apple.com"
    }
  }
}

extension NoticeDoubt {
  fileprivate var words: String {
    switch self {
    case .unknownSubject: "proved, but its subject is unknown"
    case .unknownState: "proved, but its state is unknown"
    case .contradiction(let field): "proved, but it contradicts itself about the \(field.words)"
    case .ambiguous(let field): "proved, but it gives several values for the \(field.words)"
    case .malformed(let field): "proved, but the \(field.words) cannot be read"
    case .missing(let field): "proved, but the \(field.words) is missing"
    case .unreadable(let fault): "proved, but its text cannot be read: \(fault.words)"
    }
  }
}

extension NoticeField {
  fileprivate var words: String {
    switch self {
    case .state: "state"
    case .appName: "app name"
    case .appleID: "Apple ID"
    case .version: "version"
    case .platform: "platform"
    case .submissionID: "submission id"
    case .sku: "SKU"
    }
  }
}

extension MIMEFault {
  fileprivate var words: String {
    switch self {
    case .malformedType: "its Content-Type or transfer encoding is malformed"
    case .unclosedMultipart: "a multipart does not end"
    case .malformedPart: "the header of a part is malformed"
    case .tooDeep: "parts are nested more than 8 deep"
    case .tooManyParts: "more than 100 parts"
    case .unknownEncoding: "an unknown transfer encoding"
    case .malformedBase64: "malformed base64"
    case .unknownCharset: "an unknown charset"
    case .severalTexts: "two texts of one kind"
    case .noText: "no text"
    }
  }
}

extension OtherMatter {
  fileprivate var words: String {
    switch self {
    case .reviewMessage: "a message from App Review"
    case .testFlight: "TestFlight"
    case .buildProcessing: "the processing of a build"
    case .deliveryIssues: "issues with a delivery"
    case .inAppEvent: "an In-App Event"
    case .customProductPage: "a custom product page"
    case .otherItem: "another item of a submission"
    case .agreement: "an agreement"
    case .receipt: "a receipt"
    case .calendar: "an invitation"
    case .maintenance: "maintenance"
    case .replaced: "a version that a newer one replaced"
    }
  }
}

extension IntakeReason.Lookup {
  fileprivate var words: String {
    switch self {
    case .absent: "the store does not list the app"
    case .wrongKind: "it is not about an app"
    case .wrongApp: "it is about another app"
    case .version: "its version is not valid"
    case .current: "it shows the version that clients are already told"
    case .older: "the store still shows an older version"
    case .notLive: "the store shows a release that is not live in the ledger"
    case .otherCountries: "noted; other stores must show it too"
    case .unknownVersion: "the store shows a version that the ledger does not know"
    case .known: "the ledger knows the version now, so the alarm has ended"
    case .notes: "the release got its notes from the answer"
    case .overtaken: "the release was already in that state"
    case .unagreed: "a lookup proves nothing, and what it would do needs approval"
    }
  }
}

extension IntakeReason.Webhook {
  fileprivate var words: String {
    switch self {
    case .ping: "a ping, which changes nothing"
    case .otherType: "not a change of a version's state"
    case .otherState: "a state that has no effect here"
    case .unknownID: "the ledger does not know the version's id"
    case .noCandidate: "no release fits"
    case .ambiguous: "several releases fit"
    case .otherOldState: "the only release that fits is not in the state that the webhook says it left"
    }
  }
}

extension IntakeReason.Connect {
  fileprivate var words: String {
    switch self {
    case .otherPlatform: "no app here has that platform"
    case .version: "its version is not valid"
    case .unknownState: "this version of pawl does not know its state"
    case .details: "the details of the release were recorded; its state did not change"
    }
  }
}

extension IntakeReason.Binding {
  fileprivate func words(_ kind: IntakeReason.StatingKind) -> String {
    switch self {
    case .stale:
      kind == .mail
        ? "its Date is more than 14 days before its receipt"
        : "its time is missing, more than 14 days ago, or in the future"
    case .unknownApp: "no app has that Apple ID and platform"
    case .ambiguousApp: "several apps have that Apple ID, and it names no platform"
    case .unknownVersion: "the app has no such release"
    case .overtaken: "the release is already in that state, or a later fact has overtaken it"
    case .older: "it is older than the state it would undo"
    case .duplicate: "a copy of evidence that has since been applied or ignored"
    case .unagreed: "it is not proved, and what it would do needs approval"
    }
  }
}

extension LawViolation.ID {
  fileprivate var words: String {
    switch self {
    case .notGreater: "a newer version is recorded, live or visible"
    case .version: "the version does not fit the app's channel"
    case .illegalMove: "the release cannot move to that state from its current one"
    case .future: "the time is in the future"
    case .liveSince: "the release went live at another time"
    case .beforeNewest: "another release went live later"
    case .notLive: "the release is not live"
    case .alreadyVisible: "clients may have been told"
    case .notPast: "the version is not lower than one that was live"
    case .isPast: "the version is a past release, which never changes state"
    case .wasLive: "the release was live"
    case .wasApproved: "the release was approved"
    case .buildNotGreater: "the build is not greater"
    case .isVoid: "the release was struck out"
    case .noRelease: "there is no such release"
    }
  }
}

/// Why something in a mailbox was not taken in; nothing about it is recorded, and the next run tries again.
package enum PassedOver: String, Sendable, CaseIterable {
  case link = "entry.link"
  case notAFile = "entry.not-a-file"
  case gone = "entry.gone"
  case unreadable = "entry.unreadable"
  case quota = "evidence.quota"

  package var words: String {
    switch self {
    case .link: "it is a symbolic link, and those are not followed"
    case .notAFile: "it is not a regular file"
    case .gone: "it was moved or removed in the meantime"
    case .unreadable: "it cannot be read"
    case .quota: "the inbox has no room for more unproved evidence; settle what 'pawl inbox' lists"
    }
  }
}
