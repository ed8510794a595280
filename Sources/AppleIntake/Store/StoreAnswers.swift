import JSON
package import ReleaseModel

/// Why an answer of the store's lookup is not accepted.
package enum LookupFault: Error, Sendable, Equatable {
  case malformed(String)
  /// The store does not list the app there; its answer is empty.
  case absent
  /// It is not for this app, or its version is not valid; the reason in docs/reasons.md, and what it says instead.
  case refused(String, said: String)
}

/// What the store says about an app: an answer of `https://itunes.apple.com/lookup`.
///
/// See Apple's archive, "iTunes Search API: Understanding Search Results"; the store's answers lag by up to a
/// day.
package struct LookupAnswer: Sendable, Equatable {
  package let version: Version
  /// What the store says is new in it; nil if it says nothing.
  package let releaseNotes: String?

  package static let isOfAnother = "lookup.wrong-app"
  package static let isOfOtherPlatform = "lookup.other-platform"

  /// - Parameter app: The app that was asked about; its bundle ID is empty if only its Apple ID is known.
  package init(_ bytes: [UInt8], for app: App) throws(LookupFault) {
    let json: JSON
    do {
      json = try JSON(parsing: bytes)
    } catch {
      throw .malformed("line \(error.line): \(error.reason)")
    }
    guard let results = json["results"]?.array, json["resultCount"]?.integer == Int64(results.count) else {
      throw .malformed("it has no results, or not as many as it says")
    }
    guard let result = results.first else { throw .absent }
    guard results.count == 1 else {
      throw .malformed("it has \(results.count) results; look up one app by its id")
    }
    let kind = result["kind"]?.string ?? result["wrapperType"]?.string ?? "software"
    guard kind == "software" || kind == "mac-software" else {
      throw .refused("lookup.wrong-kind", said: kind)
    }
    guard let appleID = result["trackId"]?.integer, let version = result["version"]?.string else {
      throw .malformed("it has no trackId or no version")
    }
    guard appleID == app.appleID else { throw .refused(LookupAnswer.isOfAnother, said: String(appleID)) }
    let devices = (result["supportedDevices"]?.array ?? []).compactMap(\.string)
    guard LookupAnswer.isAbout(app.platform, kind: kind, devices: devices) else {
      throw .refused(LookupAnswer.isOfOtherPlatform, said: kind)
    }
    if let said = result["bundleId"]?.string, !app.bundleID.isEmpty, said != app.bundleID {
      throw .refused(LookupAnswer.isOfAnother, said: said)
    }
    releaseNotes = result["releaseNotes"]?.string.flatMap { notes in
      notes.isEmpty || !notes.withLineFeeds.isPlain ? nil : notes
    }
    do {
      self.version = try Version(version, components: app.channel.versionComponents)
    } catch {
      throw .refused("lookup.version", said: version)
    }
  }

  /// Whether an answer is about an app on a platform: whatever was asked, Apple answers about one of an Apple ID's
  /// platforms, and about the iPhone before all others.
  private static func isAbout(_ platform: ApplePlatform, kind: String, devices: [String]) -> Bool {
    switch platform {
    case .macOS: kind == "mac-software"
    case .iOS: kind == "software"
    case .tvOS, .visionOS, .watchOS:
      kind == "software" && !devices.contains { $0.hasPrefix("iPhone") || $0.hasPrefix("iPad") }
    }
  }
}

extension ReleaseState {
  /// The state that one of App Store Connect's means; nil for a name that this version of pawl does not know.
  package init?(connectState name: String) {
    guard let state = AppleVocabulary.state(name) else { return nil }
    self = state
  }
}
