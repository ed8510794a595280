/// What a `publish` or `amend` command says about a release; nil for whatever it does not mention.
package struct ReleaseDetails: Sendable, Equatable {
  package var build: Build?
  /// A greater build that was recorded before, of a release that comes back.
  fileprivate var higherBuild: Build?
  /// Lines end with a line feed, whichever way the text was saved.
  package var notes: [Note] = [] {
    didSet { notes = notes.map { Note(locale: $0.locale, text: $0.text.withLineFeeds) } }
  }
  package var minOS: Version?
  package var url: String?
  package var isMandatory: Bool?
  /// App Store Connect's id; empty if it is the id of another version now.
  package var ascID: String?
  package var heardBuild: HeardOtherwise<Build>?
  package var heardMinOS: HeardOtherwise<Version>?
  package var expires: Timestamp?
  package var remindAt: Timestamp?
  package var phase: ReleasePhase?

  package init() {}

  init(of release: Release) {
    (build, higherBuild) = (release.build, release.higherBuild)
    notes = release.notes
    minOS = release.recordedMinOS
    url = release.url
    isMandatory = release.isMandatory
    ascID = release.ascID
    (heardBuild, heardMinOS) = (release.heardBuild, release.heardMinOS)
    expires = release.expires
    remindAt = release.remindAt
    phase = release.phase
  }

  /// The details with a platform's own name of the system.
  func named(on platform: ApplePlatform) -> ReleaseDetails {
    var details = self
    details.minOS = minOS.map(platform.system)
    return details
  }

  /// The details in which this differs from a release, in words: `build 512, not 513`.
  func differences(from release: Release) -> [String] {
    let said = applied(to: release)
    var found: [String] = []
    func add(_ name: String, _ recorded: String?, _ said: String?) {
      guard let said, !recorded.isSpelled(as: said) else { return }
      let known = recorded.map { "\(name) \($0.prefix(120))" } ?? "no \(name)"
      found.append("\(known), not \(said.prefix(120))")
    }
    if said.build != release.build { add("build", release.build?.text, said.build?.text) }
    if said.recordedMinOS != release.recordedMinOS {
      add("minimum OS", release.recordedMinOS?.text, said.recordedMinOS?.text)
    }
    add("URL", release.url, said.url)
    if said.isMandatory != release.isMandatory {
      add("mandatory", release.isMandatory ? "yes" : "no", said.isMandatory ? "yes" : "no")
    }
    add("App Store Connect ID", release.ascID, said.ascID)
    add("expires", release.expires?.text, said.expires?.text)
    add("remindAt", release.remindAt?.text, said.remindAt?.text)
    add("phase", release.phase?.rawValue, said.phase?.rawValue)
    for note in notes {
      let recorded = release.notes.first { $0.isIn(note.locale) }?.text ?? ""
      // A note does not fit on one line, so it is not quoted.
      if !recorded.isSpelled(as: note.text) {
        found.append("\(recorded.isEmpty ? "no" : "different") notes in '\(note.locale)'")
      }
    }
    return found
  }

  /// Applies the details to a release; a note replaces the one for its locale, and an empty note removes it. What a person
  /// says settles what App Store Connect says otherwise.
  package func applied(to release: Release) -> Release {
    var release = release
    if let build {
      let greatest = release.greatestBuild
      (release.build, release.heardBuild) = (build, release.heardBuild.settled(by: build))
      release.higherBuild = higherBuild ?? greatest.flatMap { build < $0 ? $0 : nil }
    }
    if let minOS {
      (release.recordedMinOS, release.heardMinOS) = (minOS, release.heardMinOS.settled(by: minOS))
    }
    if let heardBuild { release.heardBuild = heardBuild }
    if let heardMinOS { release.heardMinOS = heardMinOS }
    if let url { release.url = url }
    if let isMandatory { release.isMandatory = isMandatory }
    if let ascID { release.ascID = ascID.isEmpty ? nil : ascID }
    if let expires { release.expires = expires }
    if let remindAt { release.remindAt = remindAt }
    if let phase { release.phase = phase }
    // A phase that has not begun has no end yet, whatever an earlier one had.
    if phase == .inactive { release.remindAt = remindAt }
    for note in notes {
      if let index = release.notes.firstIndex(where: { $0.isIn(note.locale) }) {
        if note.text.isEmpty { release.notes.remove(at: index) } else { release.notes[index] = note }
      } else if !note.text.isEmpty {
        release.notes.append(note)
      }
    }
    return release
  }
}

extension Release {
  /// Whether it is in the state in which it was once, with that state's times: what was marked since was taken back. A
  /// removal that was redone was recorded later.
  func isStill(_ earlier: Release) -> Bool {
    (state, since, liveAt, visibleAt) == (earlier.state, earlier.since, earlier.liveAt, earlier.visibleAt)
  }

  /// Whether some details lead from an earlier one here: none but notes, and what evidence says, is ever cleared.
  package func isAmended(from earlier: Release) -> Bool {
    var said = ReleaseDetails(of: self)
    said.higherBuild = nil
    var made = said.applied(to: earlier)
    (made.notes, made.ascID) = (notes, ascID)
    return made == earlier.withDetails(of: self)
  }

  /// The release with all details of another, and none of its own.
  package func withDetails(of other: Release) -> Release {
    var release = self
    (release.build, release.higherBuild) = (other.build, other.higherBuild)
    (release.notes, release.recordedMinOS) = (other.notes, other.recordedMinOS)
    (release.heardBuild, release.heardMinOS) = (other.heardBuild, other.heardMinOS)
    (release.url, release.isMandatory, release.ascID) = (other.url, other.isMandatory, other.ascID)
    (release.expires, release.remindAt, release.phase) = (other.expires, other.remindAt, other.phase)
    return release
  }
}
