import AppleIntake
import CommandLineKit
import Platform
import ReleaseModel

/// An app that is asked about at Apple, without a ledger: nothing is written anywhere.
struct StoreApp: Sendable {
  let appleID: Int64
  let platform: ApplePlatform
  /// Where it is asked instead of at Apple, on this machine.
  let endpoint: String?

  /// What messages and answers call the app.
  var name: String { String(appleID) }

  /// The versions of the app in App Store Connect, and the build that was uploaded last.
  ///
  /// - Throws: What `ConnectFetch` throws; `CommandFailure` if the answer cannot be read.
  func asked(_ context: PawlContext) throws -> (line: AppState, uploaded: UploadedBuild?) {
    let found = try context.fetched(appleID, platform, endpoint: endpoint)
    let versions = context.oneRecordEach(found.answers.flatMap(\.versions))
    let line = AppState(shownBy: versions, appleID: appleID, on: platform, at: context.clock())
    let others = Set(versions.compactMap(\.platform)).subtracting([platform]).map(\.rawValue).sorted()
    if line.releases.isEmpty, !others.isEmpty {
      context.note(
        "note: \(name) has no version on \(platform.rawValue), but some on "
          + "\(others.joined(separator: " and ")): see --platform\n")
    }
    return (line, found.uploaded)
  }
}

extension Parameter where Value == StoreApp? {
  /// The options that name an app at Apple in place of an app of the ledger.
  static var connectApp: Parameter {
    .group(connectID, platform, endpoint) { id, platform, endpoint throws(UsageError) in
      try UsageError.demand(
        id != nil || platform == nil && endpoint == nil, "--platform and --endpoint", needs: "--asc")
      return id.map { StoreApp(appleID: $0, platform: platform ?? .iOS, endpoint: endpoint) }
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
