import JSON

/// The number of a version that the next one raises.
package enum VersionPart: String, Sendable, CaseIterable {
  case major, minor, patch

  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The versions of an app in order; Apple takes new builds only for those at the end.
package struct VersionTrain: Sendable {
  package let line: AppState
  /// The greatest version that Apple is known to have, but that the ledger does not know.
  let shown: Version?
  /// The build that was uploaded last, which may be only in TestFlight.
  let uploaded: UploadedBuild?

  /// The greatest version that was approved or in the store: Apple takes no builds of it or of lower ones.
  private var closed: Version? {
    let approved = line.releases.filter {
      $0.version.count <= line.app.channel.versionComponents
        && ($0.approvedAt != nil || $0.liveAt != nil || $0.state == .approved)
    }
    return (approved.map(\.version) + [shown].compactMap(\.self)).max()
  }

  /// Whether the versions are recorded in a ledger, so that one that was mistyped can be struck out there.
  let isRecorded: Bool

  package init(_ line: AppState, shown: Version? = nil, uploaded: UploadedBuild?, isRecorded: Bool) {
    (self.line, self.shown, self.uploaded, self.isRecorded) = (line, shown, uploaded, isRecorded)
  }

  /// The greatest version, or the newest by time if that is greater, with a component more than the store takes.
  private var newest: Version? {
    let latest = line.releases.max {
      ($0.liveAt ?? .distantPast, $0.version) < ($1.liveAt ?? .distantPast, $1.version)
    }
    let past = latest.flatMap { $0.isPast ? $0.version : nil }
    return [line.greatest?.version, shown, past].compactMap(\.self).max()
  }

  /// The least version greater than all others that raises the given number of the newest.
  package func next(_ part: VersionPart) -> Version? {
    guard let newest else { return try? Version("1.0.0") }
    let count = min(max(newest.count, part.index + 1), line.app.channel.versionComponents)
    var step: Int64 = 1
    while true {
      let numbers = (0..<count).map { index in
        index < part.index
          ? newest.component(index) : index == part.index ? newest.component(index) + step : 0
      }
      guard let version = try? Version(numbers.map { String($0) }.joined(separator: ".")) else { return nil }
      // A past release blocks only its own number.
      if line.counted(version) == nil { return version }
      step += 1
    }
  }

  /// A build greater than all: teams number them across versions, and on macOS Apple requires it; nil without builds.
  package var nextBuild: Build? {
    let known = [line.withGreatestBuild?.greatestBuild, uploaded?.build].compactMap(\.self).max()
    return known.map(\.next) ?? .first
  }

  /// Whether a version looks mistyped beside the newest, which is returned.
  package func isJump(_ version: Version) -> Version? {
    line.newest.flatMap { version.isJump(from: $0.version) ? $0.version : nil }
  }

  /// Refuses a version, or a build of it, that the laws or Apple would refuse.
  package func check(_ version: Version, build: Build?) throws(Refusal) {
    let slug = line.app.slug
    func refused(
      _ key: String, apple: String? = nil, floor: String? = nil, _ values: [String: String] = [:]
    ) -> Refusal {
      Refusal(
        key, values,
        details: [
          "app": .string(slug), "apple": .optional(apple), "floor": .optional(floor),
          "version": .string(version.text),
        ])
    }
    let nextWords = nextBuild.map { "--build \($0.text)" } ?? "fewer numbers, the first one raised"
    let allowed = line.app.channel.versionComponents
    guard version.count <= allowed else {
      throw refused("version.malformed/next", ["allowed": String(allowed)])
    }
    let upward = next(.patch).map { "the next version is \($0.text)" } ?? "raise a number before the last one"
    let known = line.counted(version)
    if let closed, version <= closed, line.app.channel == .appStore || known == nil {
      throw version == closed
        ? refused("next.closed", apple: "ITMS-90186", floor: closed.text, ["upward": upward])
        : refused("next.not-greater", apple: "ITMS-90062", floor: closed.text, ["upward": upward])
    }
    if known == nil, let newest = line.newest?.version, version <= newest {
      throw refused(
        isRecorded ? "version.not-greater/next-typo" : "version.not-greater/next", floor: newest.text,
        ["upward": upward])
    }
    if let known, !known.version.isSpelled(like: version) {
      throw refused(
        "version.not-greater/next-spelling",
        ["known": known.version.text, "upward": known.isPast ? upward : "use that spelling"])
    }
    // On macOS builds grow over all versions.
    let isMac = line.app.platform == .macOS
    let holder = isMac ? line.withGreatestBuild : known
    if let build, let uploaded, isMac || uploaded.version == version, build <= uploaded.build {
      throw refused(
        isMac ? "build.not-greater/uploaded-app" : "build.not-greater/uploaded", apple: "ITMS-90061",
        floor: uploaded.build.text, ["other": uploaded.version.text, "next": nextWords])
    }
    if let build, let holder, let recorded = holder.greatestBuild, build <= recorded {
      throw refused(
        isMac ? "build.not-greater/recorded-app" : "build.not-greater/recorded",
        apple: isMac ? "ITMS-90061" : nil, floor: recorded.text,
        ["other": holder.version.text, "next": nextWords])
    }
  }
}
