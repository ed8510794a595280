import JSON
package import ReleaseModel

/// Why an answer of the store's lookup is not accepted.
package enum LookupFault: Error, Sendable, Equatable {
  case malformed(String)
  /// The store does not list the app there; its answer is empty.
  case absent
  /// It is not for this app, or its version is not valid; the reason in docs/reasons.md.
  case refused(String)
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
    let kind = result["kind"]?.string ?? result["wrapperType"]?.string ?? ""
    guard kind == "software" || kind == "mac-software" else { throw .refused("lookup.wrong-kind") }
    guard let appleID = result["trackId"]?.integer, let version = result["version"]?.string else {
      throw .malformed("it has no trackId or no version")
    }
    let bundleID = result["bundleId"]?.string
    guard appleID == app.appleID, bundleID == nil || app.bundleID.isEmpty || bundleID == app.bundleID else {
      throw .refused(LookupAnswer.isOfAnother)
    }
    releaseNotes = result["releaseNotes"]?.string.flatMap { notes in
      notes.isEmpty || !notes.withLineFeeds.isPlain ? nil : notes
    }
    do {
      self.version = try Version(version, components: app.channel.versionComponents)
    } catch {
      throw .refused("lookup.version")
    }
  }
}
