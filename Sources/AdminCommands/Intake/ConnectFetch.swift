import AppleIntake
import CommandLineKit
import Crypto
import JSON
import Platform
import ReleaseModel

/// Asks App Store Connect, through curl, for the versions of an app and for nothing else.
///
/// The token goes only to Apple's host or to this machine. It is passed in curl's standard input, never among
/// the words of a process, which everybody can read.
struct ConnectFetch {
  private let key: ES256Key
  private let issuer: String?
  let keyID: String
  /// The server that it asks: scheme, host and port.
  private let origin: String
  private let now: () -> Timestamp

  private static let apple = "https://api.appstoreconnect.apple.com"
  /// The most pages that are read; Apple puts up to 200 versions on one.
  private static let mostPages = 500
  private static let seconds = 60

  /// - Parameter url: An address on this machine to ask instead of Apple.
  init(_ context: PawlContext, url: String?) throws {
    func needed(_ name: String, _ what: String) throws -> String {
      guard let value = context.environment(name) else {
        throw CommandFailure(
          "asc.no-key", "cannot ask App Store Connect: \(name) does not name \(what)",
          hint:
            "set PAWL_ASC_KEY to the file of the key, PAWL_ASC_KEY_ID, and PAWL_ASC_ISSUER for a team's key",
          exit: .usage)
      }
      return value
    }
    let path = try needed("PAWL_ASC_KEY", "the file of the key, AuthKey_….p8")
    keyID = try needed("PAWL_ASC_KEY_ID", "the key's ID at Apple")
    issuer = context.environment("PAWL_ASC_ISSUER")
    guard keyID.utf8.count <= 64, keyID.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw CommandFailure(
        "asc.no-key", "cannot ask App Store Connect: PAWL_ASC_KEY_ID is not a key ID",
        hint: "it has ten letters and digits, as App Store Connect shows it", exit: .usage)
    }
    key = try ConnectFetch.key(in: path)
    origin = try url.map(ConnectFetch.loopback) ?? ConnectFetch.apple
    now = context.clock
  }

  private static func key(in path: String) throws -> ES256Key {
    let file = "'\(printable(path, limit: 200))'"
    let bytes: [UInt8]
    do {
      bytes = try readSecret(path, limit: 1 << 14)
    } catch let fault as SecretFault {
      let reason =
        switch fault {
        case .notPlain: "it is not a regular file"
        case .otherOwner: "it belongs to another user"
        case .open(let rights): "users other than its owner can access it (0\(String(rights, radix: 8)))"
        }
      throw CommandFailure(
        "asc.key-open", "cannot use the key \(file): \(reason)",
        hint: "'chown' it to the user who runs pawl, and 'chmod 600' it", exit: .forbidden)
    }
    guard let key = ES256Key(pem: String(decoding: bytes, as: UTF8.self)) else {
      throw CommandFailure(
        "asc.key-unusable", "cannot use the key \(file): it is not a P-256 key in a PRIVATE KEY block",
        hint: "take the .p8 file as App Store Connect gave it", exit: .data)
    }
    return key
  }

  /// Checks that a URL is an address on this machine: scheme, host and port, without a path.
  private static func loopback(_ url: String) throws -> String {
    let refused = CommandFailure(
      "asc.foreign-url",
      "cannot ask '\(printable(url, limit: 200))': tokens go to Apple or to this machine alone",
      hint: "leave --endpoint out, or name http://127.0.0.1:PORT", exit: .usage)
    let url = url.hasSuffix("/") ? String(url.dropLast()) : url
    for start in [
      "http://127.0.0.1", "http://localhost", "http://[::1]", "https://127.0.0.1", "https://localhost",
    ] {
      if url == start { return url }
      guard url.hasPrefix(start + ":") else { continue }
      if let port = Int64(digits: String(url.dropFirst(start.count + 1))), (1...65_535).contains(port) {
        return url
      }
    }
    throw refused
  }

  /// Asks for the versions of an app and for its newest build, without which the versions are worth having.
  func all(appleID: Int64, platform: ApplePlatform, _ context: PawlContext) throws -> (
    answers: [ConnectAnswer], uploaded: UploadedBuild?
  ) {
    let answers = try answers(appleID: appleID)
    do {
      return (answers, try newestBuild(appleID: appleID, platform: platform))
    } catch {
      context.note("note: the newest build is not known: \(report(error).message)\n")
      return (answers, nil)
    }
  }

  private func answers(appleID: Int64) throws -> [ConnectAnswer] {
    let path = "/v1/apps/\(appleID)/appStoreVersions"
    var next: String? = "\(origin)\(path)?limit=200&include=build,appStoreVersionPhasedRelease"
    var asked: Set<String> = []
    var answers: [ConnectAnswer] = []
    var bytes = 0
    while let url = next {
      guard asked.count < ConnectFetch.mostPages, bytes <= ConnectAnswer.maximumParts else {
        throw ConnectFault.malformed("it has more pages than an app has versions")
      }
      guard isOwn(url, path), asked.insert(url).inserted else {
        throw CommandFailure(
          "asc.foreign-link", "App Store Connect's answer leads elsewhere: '\(printable(url, limit: 200))'",
          hint: "nothing was recorded, and no token was sent there", exit: .forbidden)
      }
      let answer = try ConnectAnswer(try page(url, path), appleID: appleID)
      bytes += answer.versions.reduce(0) { $0 + $1.part.count }
      answers.append(answer)
      next = answer.next
    }
    return answers
  }

  /// Asks for the build of an app that was uploaded last; nil if there is none, or it is not known.
  ///
  /// "List Builds" of the App Store Connect API. TestFlight has builds long before a version names one.
  private func newestBuild(appleID: Int64, platform: ApplePlatform) throws -> UploadedBuild? {
    guard let name = ConnectVersion.name(of: platform) else { return nil }
    let path = "/v1/builds"
    let filters = "filter[app]=\(appleID)&filter[preReleaseVersion.platform]=\(name)"
    let bytes = try page(
      "\(origin)\(path)?\(filters)&sort=-uploadedDate&limit=1&include=preReleaseVersion", path)
    return UploadedBuild(bytes)
  }

  /// Whether a link leads to the same list on the same server, in characters that every program reads alike.
  private func isOwn(_ url: String, _ path: String) -> Bool {
    let start = origin + path
    guard url.hasPrefix(start), url.utf8.count <= 4_096 else { return false }
    let rest = String(url.dropFirst(start.count))
    return rest.isEmpty || rest.hasPrefix("?") && rest.isWord(of: 1...4_096, marks: "-._~:/?[]!$&'()*+,;=%")
  }

  private func page(_ url: String, _ path: String) throws -> [UInt8] {
    // Each page gets a new token, since reading many pages takes long.
    guard
      let token = ConnectToken.sign(
        key, keyID: keyID, issuer: issuer, scope: ["GET \(path)"], at: now())
    else {
      throw CommandFailure(
        "asc.key-unusable", "cannot sign with the key",
        hint: "take the .p8 file as App Store Connect gave it",
        exit: .data)
    }
    let isLocal = origin != ConnectFetch.apple
    let scheme = origin.hasPrefix("https:") ? "=https" : "=http"
    let config =
      [
        "url = \"\(url)\"", "header = \"Authorization: Bearer \(token)\"",
        "header = \"Accept: application/json\"",
        "user-agent = \"pawl/\(AdminCommands.version)\"", "silent", "globoff",
        #"write-out = "\n%{http_code} %header{retry-after}""#,
        "proto = \"\(scheme)\"", "max-redirs = 0", "connect-timeout = 15",
        "max-time = \(ConnectFetch.seconds)",
        "max-filesize = \(ConnectAnswer.maximumSize)",
      ] + (isLocal ? ["noproxy = \"*\""] : [])
    let end: ProgramEnd
    do {
      end = try runProgram(
        ["curl", "-q", "--config", "-"], input: Array((config.joined(separator: "\n") + "\n").utf8),
        limit: ConnectAnswer.maximumSize + (1 << 16), silencesErrors: true)
    } catch let error as SystemError where error.operation == "run" {
      throw CommandFailure(
        "asc.no-curl", "cannot ask App Store Connect: curl cannot be run: \(error.reason)",
        hint: "install curl, or fetch the answer yourself and give its file", exit: .missing)
    }
    // curl(1): 63, "Maximum file size exceeded". Asking again would not make it smaller.
    guard end.status != 63 else {
      throw ConnectFault.malformed("a page has more than \(ConnectAnswer.maximumSize >> 20) MiB")
    }
    guard end.status == 0 else { throw ConnectFetch.unreachable(end.status) }
    guard let response = ConnectResponse(end.output) else { throw ConnectFetch.unreachable(end.status) }
    guard response.status == 200 else { throw ConnectFetch.failure(response) }
    return Array(response.body)
  }

  private static func unreachable(_ status: Int32) -> CommandFailure {
    let reason =
      switch status {
      case 5, 6: "its host name was not found"
      case 7: "nothing answers"
      case 18: "the answer was cut off"
      case 28: "the answer took too long"
      case 35, 51, 58, 59, 60, 77, 83, 90, 91: "the connection is not secure (curl \(status))"
      case 0: "the answer is not HTTP"
      default: "curl ended with \(status)"
      }
    return CommandFailure(
      "asc.unreachable", "cannot ask App Store Connect: \(reason)",
      hint: "nothing was recorded; try again, and see EXIT CODES in 'man curl'",
      details: ["curl": .integer(Int64(status))], exit: .busy)
  }

  /// Why Apple refuses, distinguished by what somebody has to do.
  private static func failure(_ response: ConnectResponse) -> CommandFailure {
    var title = ""
    do throws(ConnectFault) {
      _ = try ConnectAnswer(Array(response.body), appleID: nil)
    } catch {
      if case .errors(_, let code, let words) = error { title = words.isEmpty ? code : words }
    }
    return failure(status: response.status, title: title, retryAfter: response.retryAfter)
  }

  static func failure(status: Int, title: String, retryAfter: String?) -> CommandFailure {
    let said = title.isEmpty ? "" : ": \(printable(title, limit: 200))"
    func refused(_ id: String, _ reason: String, _ hint: String, _ exit: ExitCode) -> CommandFailure {
      CommandFailure(
        id, "cannot ask App Store Connect: \(reason)\(said)", hint: hint,
        details: ["retryAfter": .optional(retryAfter), "status": .integer(Int64(status))], exit: exit)
    }
    switch status {
    case 401:
      return refused(
        "asc.unauthorized", "it does not accept the token",
        "check PAWL_ASC_KEY_ID, PAWL_ASC_ISSUER, the key and this host's clock; the key may have been revoked",
        .forbidden)
    case 403:
      return refused(
        "asc.forbidden", "the key may not ask this, or an agreement has expired",
        "accept what is pending under Business in App Store Connect, or give the key a role", .forbidden)
    case 404:
      return refused(
        "asc.not-found", "it has no such app",
        "check the app's Apple ID, the number in the address of its store page", .missing)
    case 429:
      let wait = retryAfter.map { "try again in \(printable($0, limit: 40)) seconds" }
      return refused("asc.rate-limited", "it was asked too often", wait ?? "try again later", .busy)
    case 300...399:
      return refused(
        "asc.redirected", "it redirects elsewhere", "nothing was recorded, and no token was sent there",
        .forbidden)
    case 500...599:
      return refused("asc.unavailable", "it cannot answer now (\(status))", "try again later", .busy)
    default: return refused("asc.refused", "it answered \(status)", "nothing was recorded", .data)
    }
  }
}

/// An HTTP response, followed by what `write-out` adds: its status, and how long Apple asks to wait.
private struct ConnectResponse {
  let status: Int
  let retryAfter: String?
  let body: ArraySlice<UInt8>

  init?(_ bytes: [UInt8]) {
    guard let end = bytes.lastIndex(of: 0x0A) else { return nil }
    let words = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
    guard let status = words.first.flatMap({ Int($0) }), (200...599).contains(status) else { return nil }
    self.status = status
    // Before version 7.84 curl knows no field of the header.
    retryAfter = words.count == 2 && Int64(digits: String(words[1])) != nil ? String(words[1]) : nil
    body = bytes[..<end]
  }
}
