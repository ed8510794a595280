/// What is new in a release, in one language.
package struct Note: Sendable, Equatable {
  package let locale: String
  @Verbatim package private(set) var text: String

  package init(locale: String, text: String) {
    self.locale = locale
    self.text = text
  }

  package static let undetermined = "und"

  /// Whether it is in a language, however the tag is spelled: `en-us` is `en_US` (RFC 5646 §2.1.1).
  package func isIn(_ locale: String) -> Bool {
    Release.normalized(self.locale) == Release.normalized(locale)
  }
}

/// How far Apple's phased release of a version is (developer.apple.com, `PhasedReleaseState`).
package enum ReleasePhase: String, WordValue, CaseIterable {
  case inactive, active, paused, complete

  package static let length = TimeSpan(seconds: 7 * 86_400)
  /// How long it can be paused in total before it continues by itself.
  package static let longestPause = TimeSpan(seconds: 30 * 86_400)

  /// From when everyone gets a release that is in the phase, as far as is known; nil if it has not begun.
  ///
  /// While it is paused, no one knows for how much longer, so the latest moment that Apple's rule allows
  /// counts. A complete one was over when that was first heard, or before.
  ///
  /// - Parameters:
  ///   - start: When its first day began, if known; otherwise it counts from when the release went live.
  ///   - pausedDays: How long it has been paused in total.
  package func end(of release: Release, start: Timestamp?, pausedDays: Int64, heardAt now: Timestamp)
    -> Timestamp?
  {
    let begun = start ?? release.liveAt
    let pauses = min(TimeSpan(seconds: min(max(0, pausedDays), 30) * 86_400), ReleasePhase.longestPause)
    switch self {
    case .inactive: return nil
    case .active: return begun.map { $0 + ReleasePhase.length + pauses }
    case .paused: return begun.map { $0 + ReleasePhase.length + ReleasePhase.longestPause }
    case .complete:
      if release.phase == .complete, let known = release.remindAt { return known }
      return begun.map { min($0 + ReleasePhase.length + pauses, now) } ?? now
    }
  }
}

/// One version of one app.
package struct Release: Sendable, Equatable {
  /// What a release was before it went live, kept so that `unmark` can restore it.
  package struct Former: Sendable, Equatable {
    package internal(set) var state: ReleaseState
    package internal(set) var since: Timestamp
    package internal(set) var liveAt: Timestamp?
    package internal(set) var visibleAt: Timestamp?
    package internal(set) var removedAt: Timestamp?
    /// The row of the release it superseded when it went live, which becomes live again if that is undone.
    package internal(set) var superseded: Int64?
  }

  package internal(set) var id: Int64
  package internal(set) var version: Version
  package var build: Build?
  /// A greater build that was recorded for the version before an older one was said to have been sent.
  package var higherBuild: Build?
  package var state: ReleaseState
  package var since: Timestamp
  package var notes: [Note] = []
  /// The minimum OS that a person recorded, or else Apple said.
  package var recordedMinOS: Version?
  package var url: String?
  package var isMandatory = false
  package var approvedAt: Timestamp?
  package var liveAt: Timestamp?
  package var visibleAt: Timestamp?
  /// When its hold was to end at first, if lookups have moved the end.
  package var firstVisibleAt: Timestamp?
  package var removedAt: Timestamp?
  package var former: Former?
  /// From when clients could be told until it was removed; kept when it goes live again with a new hold.
  package var shownAt: Timestamp?
  /// Whether it shipped before the ledger's time or beside its line: known, but never a target.
  package var isPast = false
  package var ascID: String?
  /// The build and the minimum OS that App Store Connect has, where they are not those recorded here.
  package var heardBuild = HeardOtherwise<Build>()
  package var heardMinOS = HeardOtherwise<Version>()
  package var expires: Timestamp?
  /// From when the policy reminds of the release, if that is later than `visibleAt`.
  package var remindAt: Timestamp?
  package var phase: ReleasePhase?
  package var supersededBy: Int64?
  @Unsaid package var event: Int64 = 0

  package init(id: Int64, version: Version, state: ReleaseState, since: Timestamp) {
    (self.id, self.version, self.state, self.since) = (id, version, state, since)
  }

  /// The minimum OS that counts: until a person settles it, the higher one if App Store Connect was asked and has it.
  package var minOS: Version? {
    // Inlined, as what follows is, so that asking one of many releases does not copy it.
    @inline(__always) get {
      guard heardMinOS.by == .fetched, let heard = heardMinOS.value, let recordedMinOS else {
        return recordedMinOS
      }
      return max(heard, recordedMinOS)
    }
    set { recordedMinOS = newValue }
  }

  /// Whether clients may be told of the release at a moment: it is live or superseded and its time has come.
  @inline(__always)
  package func isVisible(at moment: Timestamp) -> Bool {
    guard state == .live || state == .superseded, let visibleAt else { return false }
    return visibleAt <= moment
  }

  /// The release in the state that it had earlier, with the state's times.
  package func returned(to earlier: Release) -> Release {
    var release = self
    (release.state, release.since, release.approvedAt) = (earlier.state, earlier.since, earlier.approvedAt)
    (release.liveAt, release.visibleAt, release.removedAt) = (
      earlier.liveAt, earlier.visibleAt, earlier.removedAt
    )
    (release.shownAt, release.former, release.supersededBy) = (
      earlier.shownAt, earlier.former, earlier.supersededBy
    )
    return release
  }

  /// When its phased release reaches everyone: seven days from going live as long as its start is not known.
  package var phaseEnd: Timestamp? {
    remindAt ?? (phase == .complete ? nil : liveAt.map { $0 + ReleasePhase.length })
  }

  /// The release of an app as answers show it: its `remindAt` is what reminders wait for.
  package func shown(in app: App) -> Release {
    var shown = self
    if phase != nil || app.remindAfter == .phase { shown.remindAt = phaseEnd }
    return shown
  }

  /// The greatest build that was recorded for the version, which Apple may have whichever was sent.
  package var greatestBuild: Build? { [build, higherBuild].compactMap(\.self).max() }

  /// How long before a build expires clients should no longer be forced to it.
  package static let expiryNoticeLength = TimeSpan(seconds: 7 * 86_400)

  /// From when no one should be forced to the build; nil if it does not expire.
  package var expiryNotice: Timestamp? {
    expires.map { Timestamp(seconds: $0.seconds - Release.expiryNoticeLength.seconds) }
  }

  /// Whether the build no longer opens at a moment.
  package func isExpired(at moment: Timestamp) -> Bool { expires.map { $0 <= moment } ?? false }

  /// Whether clients could have been told of the release at some moment until now.
  package func becameVisible(by now: Timestamp) -> Bool {
    if shownAt != nil { return true }
    guard let visibleAt else { return false }
    return visibleAt <= (removedAt ?? now)
  }

  /// Whether the release is off the store, as far as clients may know: removed, or back but held.
  @inline(__always)
  package func isOffStore(at moment: Timestamp) -> Bool {
    state == .removed || (former?.state == .removed && !isVisible(at: moment))
  }

  /// Whether the release counts for the order of versions: not void, and not past.
  @inline(__always)
  package var isOnLine: Bool { state != .void && !isPast }

  /// Whether the release may be struck out without confirmation: it was never approved or live.
  package var mayBeVoid: Bool { liveAt == nil && approvedAt == nil }

  /// Whether the release waits for its `visibleAt`.
  package func isHeld(at moment: Timestamp) -> Bool {
    guard state == .live, let visibleAt else { return false }
    return moment < visibleAt
  }

  /// The note for a locale: the same tag, else its language (RFC 4647 §3.4, without case), else the first
  /// one.
  package func note(for locale: String?) -> String? {
    guard let first = notes.first else { return nil }
    guard let locale else { return first.text }
    var wanted = Release.normalized(locale)[...]
    while !wanted.isEmpty {
      if let note = notes.first(where: { Release.normalized($0.locale) == wanted }) { return note.text }
      guard let hyphen = wanted.lastIndex(of: "-") else { break }
      wanted = wanted[..<hyphen]
    }
    let prefix = wanted + "-"
    let related = notes.filter { Release.normalized($0.locale).hasPrefix(prefix) }
    if wanted == "zh" {
      // Chinese has two scripts; the region tells which one is meant (CLDR, likely subtags).
      let script = Release.chineseScript(Release.normalized(locale))
      if let note = related.first(where: { Release.chineseScript(Release.normalized($0.locale)) == script }) {
        return note.text
      }
    }
    return related.first?.text ?? first.text
  }

  private static func chineseScript(_ tag: String) -> String {
    let subtags = tag.split(separator: "-").dropFirst()
    if let script = subtags.first(where: { $0 == "hant" || $0 == "hans" }) { return String(script) }
    return subtags.contains { ["tw", "hk", "mo"].contains($0) } ? "hant" : "hans"
  }

  /// A locale as it is compared with others: in lower case, with hyphens.
  package static func normalized(_ locale: String) -> String {
    String(locale.lowercased().map { $0 == "_" ? "-" : $0 })
  }

  /// Whether a text looks like a language tag: subtags of 1 to 8 letters or digits (RFC 5646 §2.1), the first
  /// of two or three letters, since no longer language subtag is registered (§2.2.1).
  package static func isLocale(_ text: String) -> Bool {
    let subtags = text.utf8.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    )
    guard text.utf8.count <= 35, let language = subtags.first, (2...3).contains(language.count) else {
      return false
    }
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
    return language.allSatisfy(isLetter)
      && subtags.dropFirst().allSatisfy { subtag in
        (1...8).contains(subtag.count) && subtag.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
      }
  }
}

extension Release: Record {
  package static let table = RecordTable.release
  package static let columns = Columns(of: Release.self)
  package static let blank = Release(id: 0, version: .zero, state: .prepared, since: .distantPast)

  package var rowID: Int64? { id }

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&id, "id", "id", .fixed)
    try fields.owner("app_id", "app")
    try fields.field(&version, "version", "version", .fixed)
    var key = VersionKey(version)
    try fields.field(&key, "key", nil, .fixed)
    guard key == VersionKey(version) else { throw FieldFault("key") }
    try fields.field(&build, "build", "build", .amended)
    try fields.field(&higherBuild, "higher_build", "higherBuild", .amended)
    try fields.field(&state, "state", "state")
    try fields.field(&since, "since", "since")
    try fields.notes(&notes, "notes")
    try fields.field(&recordedMinOS, "min_os", "minOS", .amended)
    try fields.field(&url, "url", "url", .amended)
    try fields.field(&isMandatory, "mandatory", "mandatory", .amended)
    try fields.field(&approvedAt, "approved_at", "approvedAt")
    try fields.field(&liveAt, "live_at", "liveAt")
    try fields.field(&visibleAt, "visible_at", "visibleAt")
    try fields.field(&firstVisibleAt, "first_visible_at", "firstVisibleAt")
    try fields.field(&removedAt, "removed_at", "removedAt")
    try fields.group(&former, "former")
    try fields.field(&supersededBy, "superseded_by", "supersededBy")
    try fields.field(&isPast, "past", "past", .fixed)
    try fields.field(&ascID, "asc_id", "ascID", .amended)
    try fields.field(&heardBuild.value, "asc_build", "ascBuild", .amended)
    try fields.field(&heardBuild.by, "asc_build_by", "ascBuildBy", .amended)
    try fields.field(&heardMinOS.value, "asc_min_os", "ascMinOS", .amended)
    try fields.field(&heardMinOS.by, "asc_min_os_by", "ascMinOSBy", .amended)
    try fields.field(&expires, "expires_at", "expires", .amended)
    try fields.field(&remindAt, "remind_at", "remindAt", .amended)
    try fields.field(&phase, "phase", "phase", .amended)
    try fields.field(&shownAt, "shown_at", "shownAt")
    try fields.field(&event, "event_seq", nil)
  }
}

extension Release.Former: Fields {
  package static let columns = Columns(of: Release.Former.self)
  package static let blank = Release.Former(
    state: .prepared, since: .distantPast, liveAt: nil, visibleAt: nil, removedAt: nil, superseded: nil)

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&state, "former_state", "state")
    try fields.field(&since, "former_since", "since")
    try fields.field(&liveAt, "former_live_at", "liveAt")
    try fields.field(&visibleAt, "former_visible_at", "visibleAt")
    try fields.field(&removedAt, "former_removed_at", "removedAt")
    try fields.field(&superseded, "supersedes", "superseded")
  }
}

extension Release {
  /// Whether a text may be App Store Connect's id of a version: letters, digits and hyphens.
  package static func isConnectID(_ text: String) -> Bool {
    text.isWord(of: 1...64, marks: "-")
  }
}
