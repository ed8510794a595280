package import AppleIntake
import Crypto
import JSON
package import Platform
package import ReleaseModel

/// Asks App Store Connect, through curl, for the versions of an app and for nothing else.
///
/// The token goes only to Apple's host or to this machine. It is passed in curl's standard input, never among
/// the words of a process, which everyone can read.
package struct ConnectFetch {
  private let key: ES256Key
  private let issuer: String?
  private let keyID: String
  /// The server that it asks: scheme, host and port.
  private let origin: String
  /// By which the server knows this program.
  private let userAgent: String
  private let now: () -> Timestamp
  /// Runs a program with some input.
  private let run: ([String], [UInt8]) throws -> ProgramEnd

  private static let apple = "https://api.appstoreconnect.apple.com"
  static let local = "@localhost"
  /// The id of the key, and whether an address of this machine was asked with it.
  package var usedKey: String { origin == ConnectFetch.apple ? keyID : keyID + ConnectFetch.local }
  /// The most pages that are read; Apple puts up to 200 versions on one.
  private static let mostPages = 500
  private static let seconds = 60

  /// - Parameters:
  ///   - environment: Names the file of the key, the key's id and its issuer.
  ///   - url: An address on this machine to ask instead of Apple.
  package init(
    _ environment: (String) -> String?, url: String?, userAgent: String, now: @escaping () -> Timestamp,
    run: @escaping ([String], [UInt8]) throws -> ProgramEnd
  ) throws {
    guard let path = environment("PAWL_ASC_KEY") else { throw Refusal("asc.no-key") }
    keyID = environment("PAWL_ASC_KEY_ID") ?? ""
    issuer = environment("PAWL_ASC_ISSUER")
    guard (1...64).contains(keyID.utf8.count), keyID.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Refusal("asc.no-key/id")
    }
    key = try ConnectFetch.key(in: path)
    origin = try url.map(ConnectFetch.loopback) ?? ConnectFetch.apple
    (self.userAgent, self.now, self.run) = (userAgent, now, run)
  }

  private static func key(in path: String) throws -> ES256Key {
    let bytes: [UInt8]
    do {
      bytes = try readSecret(path, limit: 1 << 14)
    } catch let fault as SecretFault {
      throw Refusal("asc.key-open", ["path": path, "reason": fault.reason])
    }
    guard let key = ES256Key(pem: String(decoding: bytes, as: UTF8.self)) else {
      throw Refusal("asc.key-unusable", ["path": path])
    }
    return key
  }

  /// Checks that a URL is an address on this machine: scheme, host and port, without a path.
  private static func loopback(_ url: String) throws -> String {
    for start in [
      "http://127.0.0.1", "http://localhost", "http://[::1]", "https://127.0.0.1", "https://localhost",
    ]
    where url.hasPrefix(start) {
      var rest = url.dropFirst(start.count)
      if rest.hasSuffix("/") { rest = rest.dropLast() }
      if rest.isEmpty { return start }
      guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0, rest.dropFirst().first != "+"
      else { break }
      return "\(start):\(port)"
    }
    throw Refusal("asc.foreign-url", ["url": url])
  }

  /// Asks for an app and all its versions.
  package func listing(appleID: Int64) throws -> ConnectListing {
    let path = "/v1/apps/\(appleID)"
    let app = try ConnectAnswer.tree(of: page("\(origin)\(path)", path))
    return try ConnectListing(app: app, answers(appleID: appleID), appleID: appleID)
  }

  /// Asks for all versions of an app.
  package func answers(appleID: Int64) throws -> [ConnectAnswer] {
    let path = "/v1/apps/\(appleID)/appStoreVersions"
    var next: String? = "\(origin)\(path)?limit=200&include=build,appStoreVersionPhasedRelease"
    var asked: Set<String> = []
    var answers: [ConnectAnswer] = []
    var bytes = 0
    while let url = next {
      guard asked.count < ConnectFetch.mostPages, bytes <= ConnectAnswer.maximumParts else {
        throw Refusal.malformedAnswer("it has more pages than an app has versions")
      }
      guard isOwn(url, path), asked.insert(url).inserted else {
        throw Refusal("asc.foreign-link", ["url": url])
      }
      let answer = try ConnectAnswer(try page(url, path), appleID: appleID)
      bytes += answer.versions.reduce(0) { $0 + $1.part.count }
      answers.append(answer)
      next = answer.next
    }
    return answers
  }

  /// Asks for the build of an app that was uploaded last; nil if none was, or it is not known.
  ///
  /// "List Builds" of the App Store Connect API. TestFlight has builds long before a version names one.
  package func newestBuild(appleID: Int64, platform: ApplePlatform) throws -> UploadedBuild? {
    guard let name = ConnectVersion.name(of: platform) else { return nil }
    let path = "/v1/builds"
    let filters = "filter[app]=\(appleID)&filter[preReleaseVersion.platform]=\(name)"
    let bytes = try page(
      "\(origin)\(path)?\(filters)&sort=-uploadedDate&limit=50&include=preReleaseVersion", path)
    return try UploadedBuild(bytes)
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
      throw Refusal("internal", ["reason": "libcrypto cannot sign with the key"])
    }
    let isLocal = origin != ConnectFetch.apple
    let scheme = origin.hasPrefix("https:") ? "=https" : "=http"
    let config =
      [
        "url = \"\(url)\"", "header = \"Authorization: Bearer \(token)\"",
        "header = \"Accept: application/json\"",
        "user-agent = \"\(userAgent)\"", "silent", "globoff",
        #"write-out = "\n%{http_code} %header{retry-after}""#,
        "proto = \"\(scheme)\"", "max-redirs = 0", "connect-timeout = 15",
        "max-time = \(ConnectFetch.seconds)",
        "max-filesize = \(ConnectAnswer.maximumSize)",
      ] + (isLocal ? ["noproxy = \"*\""] : [])
    let end: ProgramEnd
    do {
      end = try run(
        ["curl", "-q", "--config", "-"], Array((config.joined(separator: "\n") + "\n").utf8))
    } catch let error as SystemError where error.operation == "run" {
      throw Refusal("asc.no-curl", ["reason": error.reason])
    }
    // curl(1): 63, "Maximum file size exceeded". Asking again would not make it smaller.
    guard end.status != 63, end.output.count <= ConnectAnswer.maximumSize + (1 << 16) else {
      throw Refusal.malformedAnswer("a page has more than \(ConnectAnswer.maximumSize >> 20) MiB")
    }
    guard end.status == 0, let (status, retryAfter, body) = ConnectFetch.response(end.output) else {
      throw ConnectFetch.unreachable(end.status)
    }
    guard status != 200 else { return body }
    let title = (try? ConnectAnswer.tree(of: body)).flatMap(ConnectAnswer.error)?.title ?? ""
    throw Refusal.connect(status: status, title: title, retryAfter: retryAfter)
  }

  /// An HTTP response, followed by what `write-out` adds: its status, and how long Apple asks to wait.
  private static func response(_ bytes: [UInt8]) -> (status: Int, retryAfter: String?, body: [UInt8])? {
    guard let end = bytes.lastIndex(of: 0x0A) else { return nil }
    let words = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
    guard let status = words.first.flatMap({ Int($0) }), (200...599).contains(status) else { return nil }
    // Before version 7.84 curl knows no field of the header.
    let isKnown = words.count == 2 && UInt32(words[1]) != nil
    return (status, isKnown ? String(words[1]) : nil, Array(bytes[..<end]))
  }

  private static func unreachable(_ status: Int32) -> Refusal {
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
    return Refusal("asc.unreachable", ["reason": reason], details: ["curl": .integer(Int64(status))])
  }
}
