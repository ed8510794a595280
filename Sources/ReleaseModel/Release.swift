package import JSON

/// What is new in a release, in one language.
package struct Note: Sendable, Equatable {
  /// A BCP 47 tag such as `en` or `zh-Hans`; `und` where no language was said.
  package let locale: String
  package let text: String

  package init(locale: String, text: String) {
    self.locale = locale
    self.text = text
  }

  /// The tag of a note whose language nobody named (BCP 47: undetermined).
  package static let undetermined = "und"
}

/// One version of one app.
package struct Release: Sendable, Equatable {
  /// What a release was before it went live, kept so that `unmark` can give it back.
  package struct Former: Sendable, Equatable {
    package let state: ReleaseState
    package let since: Timestamp
    package let liveAt: Timestamp?
    package let visibleAt: Timestamp?
    package let removedAt: Timestamp?
    /// The row of the release that the going live superseded, which is live again when it is taken back.
    package let superseded: Int64?

    package init(
      state: ReleaseState, since: Timestamp, liveAt: Timestamp?, visibleAt: Timestamp?, removedAt: Timestamp?,
      superseded: Int64?
    ) {
      self.state = state
      self.since = since
      self.liveAt = liveAt
      self.visibleAt = visibleAt
      self.removedAt = removedAt
      self.superseded = superseded
    }
  }

  /// The row of the ledger that holds the release.
  package let id: Int64
  package let version: Version
  package var build: Version?
  package var state: ReleaseState
  /// When the release came into its state, as far as anyone said.
  package var since: Timestamp
  package var notes: [Note]
  /// The oldest system the release runs on; nil for any.
  package var minOS: Version?
  package var url: String?
  /// Whether every older client is forced to this or something newer.
  package var isMandatory: Bool
  /// When review was passed, if it was said.
  package var approvedAt: Timestamp?
  /// When the release went live; taken back by `unmark`.
  package var liveAt: Timestamp?
  /// From when clients may be told.
  package var visibleAt: Timestamp?
  /// When the removal from the store was recorded.
  package var removedAt: Timestamp?
  package var former: Former?
  /// From when clients could be told until it was removed; kept when it goes live again with a hold of its own.
  package var shownAt: Timestamp?
  /// The row of the release that superseded this one.
  package var supersededBy: Int64?
  /// The number of the event that last changed the release.
  package var event: Int64

  package init(id: Int64, version: Version, state: ReleaseState, since: Timestamp) {
    self.id = id
    self.version = version
    self.state = state
    self.since = since
    notes = []
    isMandatory = false
    event = 0
  }

  /// Whether clients may be told of the release at a moment: it is live or superseded and its time has come.
  package func isVisible(at moment: Timestamp) -> Bool {
    guard state == .live || state == .superseded, let visibleAt else { return false }
    return visibleAt <= moment
  }

  /// Whether clients could be told of the release at some moment until now.
  package func becameVisible(by now: Timestamp) -> Bool {
    if shownAt != nil { return true }
    guard let visibleAt else { return false }
    return visibleAt <= (removedAt ?? now)
  }

  /// Whether the release is off the store, as far as clients may know: removed, or back but held.
  package func isOffStore(at moment: Timestamp) -> Bool {
    state == .removed || (former?.state == .removed && !isVisible(at: moment))
  }

  /// Whether the release may be struck out: it was never approved or live.
  package var mayBeVoid: Bool { liveAt == nil && approvedAt == nil }

  /// Whether the release waits for its `visibleAt`.
  package func isHeld(at moment: Timestamp) -> Bool {
    guard state == .live, let visibleAt else { return false }
    return moment < visibleAt
  }

  /// The note for a locale: the same tag, else its language, else the first one recorded.
  ///
  /// Tags are compared without case, as RFC 4647 §3.4 (lookup) does.
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
    return notes.first(where: { Release.normalized($0.locale).hasPrefix(prefix) })?.text ?? first.text
  }

  private static func normalized(_ locale: String) -> String {
    String(locale.lowercased().map { $0 == "_" ? "-" : $0 })
  }

  /// Whether a text looks like a language tag: subtags of 1 to 8 letters or digits (RFC 5646 §2.1), the first one of
  /// two or three letters, since no longer language is registered (§2.2.1).
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

extension Release {
  /// The release as commands and events show it.
  package func json(app: String) -> JSON {
    var former = JSON.null
    if let before = self.former {
      former = [
        "state": .string(before.state.rawValue), "since": .string(before.since.text),
        "liveAt": .optional(before.liveAt?.text), "visibleAt": .optional(before.visibleAt?.text),
        "removedAt": .optional(before.removedAt?.text), "superseded": .optional(before.superseded),
      ]
    }
    return [
      "app": .string(app), "version": .string(version.text), "build": .optional(build?.text),
      "state": .string(state.rawValue), "since": .string(since.text), "liveAt": .optional(liveAt?.text),
      "visibleAt": .optional(visibleAt?.text), "approvedAt": .optional(approvedAt?.text),
      "removedAt": .optional(removedAt?.text), "shownAt": .optional(shownAt?.text),
      "minOS": .optional(minOS?.text), "url": .optional(url),
      "mandatory": .bool(isMandatory),
      "notes": .object(JSON.Object(notes.map { ($0.locale, .string($0.text)) })),
      // The members of an object have no order; which note is the first one counts, though.
      "locales": .array(notes.map { .string($0.locale) }),
      "former": former, "supersededBy": .optional(supersededBy), "id": .integer(id),
    ]
  }

  /// Reads a release back from what `json(app:)` wrote; nil where it wrote something else.
  package init?(json: JSON) {
    func moment(_ value: JSON?) -> Timestamp? { value?.string.flatMap { try? Timestamp($0) } }
    guard let id = json["id"]?.integer, let version = json["version"]?.string.flatMap({ try? Version($0) }),
      let state = json["state"]?.string.flatMap(ReleaseState.init(rawValue:)),
      let since = moment(json["since"]), let mandatory = json["mandatory"]?.bool,
      let locales = json["locales"]?.array
    else { return nil }
    self.init(id: id, version: version, state: state, since: since)
    build = json["build"]?.string.flatMap { try? Version($0, components: 3) }
    liveAt = moment(json["liveAt"])
    visibleAt = moment(json["visibleAt"])
    approvedAt = moment(json["approvedAt"])
    removedAt = moment(json["removedAt"])
    shownAt = moment(json["shownAt"])
    minOS = json["minOS"]?.string.flatMap { try? Version($0, components: 3) }
    url = json["url"]?.string
    isMandatory = mandatory
    supersededBy = json["supersededBy"]?.integer
    for locale in locales {
      guard let locale = locale.string, let text = json["notes"]?[locale]?.string else { return nil }
      notes.append(Note(locale: locale, text: text))
    }
    if let before = json["former"], before != .null {
      guard let state = before["state"]?.string.flatMap(ReleaseState.init(rawValue:)),
        let since = moment(before["since"])
      else { return nil }
      former = Former(
        state: state, since: since, liveAt: moment(before["liveAt"]), visibleAt: moment(before["visibleAt"]),
        removedAt: moment(before["removedAt"]), superseded: before["superseded"]?.integer)
    }
  }
}
