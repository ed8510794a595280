import AppleIntake
import CommandLineKit
import Platform
import ReleaseModel

/// An app that is asked about at Apple, without a ledger: nothing is written anywhere.
struct StoreApp: Sendable {
  enum Source: Sendable {
    /// App Store Connect's API, with the key that the environment names.
    case connect(endpoint: String?)
    /// A program that prints an answer of the store's lookup; no key is needed.
    case lookup(command: [String])
  }

  let appleID: Int64
  let platform: ApplePlatform
  let source: Source

  /// What messages and answers call the app.
  var name: String { String(appleID) }

  /// The versions of the app in App Store Connect, and the build that was uploaded last.
  ///
  /// - Throws: What `ConnectFetch` throws; `CommandFailure` if the answer cannot be read.
  func connect(endpoint: String?, _ context: PawlContext) throws -> (line: AppState, uploaded: UploadedBuild?)
  {
    let found = try context.fetched(appleID, platform, endpoint: endpoint)
    let versions = found.answers.flatMap(\.versions)
    let line = AppState(shownBy: versions, appleID: appleID, on: platform, at: context.clock())
    let others = Set(versions.compactMap(\.platform)).subtracting([platform]).map(\.rawValue).sorted()
    if line.releases.isEmpty, !others.isEmpty {
      context.note(
        "note: \(name) has no version on \(platform.rawValue), but some on "
          + "\(others.joined(separator: " and ")): see --platform\n")
    }
    return (line, found.uploaded)
  }

  /// How far a version is on its way to a state.
  ///
  /// - Parameter seconds: How long a command may take.
  func progress(
    of version: Version, _ goal: WaitGoal, _ context: PawlContext, within seconds: Double
  ) throws -> ReleaseProgress {
    switch source {
    case .connect(let endpoint):
      let line = try connect(endpoint: endpoint, context).line
      guard let progress = goal.progress(of: version, in: line, at: context.clock()) else {
        throw CommandFailure(
          "release.not-found/asc", ["version": version.text, "app": name],
          hint: didYouMean(line.nearest(to: version)?.text))
      }
      return progress
    case .lookup(let command): return try shown(version, by: command, within: seconds)
    }
  }

  private func shown(
    _ version: Version, by command: [String], within seconds: Double
  ) throws -> ReleaseProgress {
    let end: ProgramEnd
    do {
      end = try runProgram(command, limit: 4 << 20, until: secondsSinceStart() + seconds)
    } catch let error as SystemError where error.isLate {
      throw CommandFailure("lookup.unavailable/late", ["command": command.first ?? ""])
    }
    guard end.status == 0 else {
      throw CommandFailure(
        "lookup.unavailable", ["command": command.first ?? "", "status": String(end.status)])
    }
    var app = App(slug: name, bundleID: "", platform: platform)
    app.appleID = appleID
    do throws(LookupFault) {
      let shown = try LookupAnswer(end.output, for: app).version
      if shown == version { return ReleaseProgress(state: .live, words: "live", verdict: true) }
      // Whether it was ever live before that, the store does not say.
      let isNewer = version < shown
      return ReleaseProgress(
        state: nil, words: "not in the store: it shows \(shown.text)\(isNewer ? ", which is newer" : "")",
        verdict: isNewer ? false : nil)
    } catch {
      if case .malformed(let reason) = error {
        throw CommandFailure("lookup.unavailable/answer", ["command": command.first ?? "", "reason": reason])
      }
      guard error == .absent else { throw error }
      return ReleaseProgress(state: nil, words: "not in the store: it lists no such app", verdict: nil)
    }
  }
}

extension Parameter where Value == StoreApp? {
  /// The options that name an app at Apple in place of an app of the ledger.
  static var connectApp: Parameter {
    .group(connectID, platform, endpoint) { id, platform, endpoint throws(UsageError) in
      try UsageError.demand(
        id != nil || platform == nil && endpoint == nil, "--platform and --endpoint", needs: "--asc")
      return id.map {
        StoreApp(appleID: $0, platform: platform ?? .iOS, source: .connect(endpoint: endpoint))
      }
    }
  }

  /// The same, or an app whose lookup answer a program prints.
  static var awaitedApp: Parameter {
    .group(
      connectID,
      Parameter<Int64?>.option(
        "--lookup", "APPLE_ID", .appleID, help: "Ask the store about this app through COMMAND, without a key",
        reach: .caller),
      platform, endpoint,
      .arguments(
        "COMMAND", .text,
        help: "With --lookup: the program that prints the answer, and its arguments, after --",
        required: false)
    ) { id, lookup, platform, endpoint, command throws(UsageError) in
      try UsageError.demand(id == nil || lookup == nil, together: "--asc and --lookup")
      try UsageError.demand(id != nil || endpoint == nil, "--endpoint", needs: "--asc")
      try UsageError.demand(
        id != nil || lookup != nil || platform == nil, "--platform", needs: "--asc or --lookup")
      try UsageError.demand(
        (lookup != nil) == !command.isEmpty, "usage.invalid/lookup",
        ["id": String(lookup ?? 1_524_608_462)])
      if let lookup {
        return StoreApp(appleID: lookup, platform: platform ?? .iOS, source: .lookup(command: command))
      }
      return id.map {
        StoreApp(appleID: $0, platform: platform ?? .iOS, source: .connect(endpoint: endpoint))
      }
    }
  }

  private static var connectID: Parameter<Int64?> {
    .option(
      "--asc", "APPLE_ID", .appleID, help: "Ask App Store Connect about this app, without a ledger",
      reach: .caller)
  }

  private static var platform: Parameter<ApplePlatform?> {
    .option(
      "--platform", "P", .one(of: ApplePlatform.self), help: "The app's platform at Apple; default: ios",
      reach: .caller)
  }

  private static var endpoint: Parameter<String?> {
    .option(
      "--endpoint", "URL", .text, help: "With --asc, ask an address of this machine instead of Apple",
      reach: .caller)
  }
}

extension ValueType where Value == Int64 {
  static var appleID: Self {
    ValueType { text throws(UsageError) in
      guard let number = Int64(digits: text), 0 < number, number <= Int64(Int32.max) * 1_000 else {
        throw UsageError("usage.invalid-value/apple-id")
      }
      return number
    }
  }
}
