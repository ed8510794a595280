// Asks the documents that `pawl export` writes what this version of an app is told: nothing, a reminder that the user
// may put off, or an update that nobody gets past. Copy the file into the app as it is; README.md beside it has screens.
// It needs Foundation and, for signatures, CryptoKit: iOS 13, macOS 10.15, tvOS 13 or watchOS 6, and Swift 6.
//
// No answer means no prompt. Whatever goes wrong (the network, a status, a redirect to another host, half a document, one
// that has expired, or that nobody signed whom the app trusts), nobody is prompted, and what was known before stays.

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(CryptoKit)
  import CryptoKit
#endif

/// What this version of the app is told.
struct PawlAnswer: Sendable, Equatable, Codable {
  /// What the app does: nothing, a prompt with "Later", or a screen that nobody gets past.
  enum Action: String, Sendable, Codable { case none, remind, force }
  /// How often one target is reminded of.
  enum Cadence: String, Sendable, Codable { case once, daily = "1d", always }

  var action = Action.none
  /// Whether this version is not released, so that a reviewer may be looking at it.
  var review = false
  /// The version to update to, the page to open for it, and what is new in it, in the user's language.
  var target: String?, url: URL?, notes: String?
  /// Values for this version.
  var settings: [String: String] = [:]
  var remindEvery = Cadence.once
}

/// A client of one app's documents; make one and keep it.
actor PawlClient {
  /// Whom to ask, as whom, and what to trust.
  struct Configuration: Sendable {
    /// The address that the folder `v1` or `v1-signed` is below, and the app's name in the ledger.
    var base: URL, app: String
    /// The keys that are trusted, by `kid`, each as the `x` that `pawl export --sign` prints; with any here only signed
    /// documents count. Add the key that comes next, so that keys can be changed without an update of the app.
    var keys: [String: String] = [:]
    var version = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? ""
    var system: String = {
      let system = ProcessInfo.processInfo.operatingSystemVersion
      return "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
    }()
    var languages = Locale.preferredLanguages
    /// How many seconds to wait for a document, and how many bytes it may have.
    var patience = 10.0, limit = 1 << 20
    var now: @Sendable () -> Date = { Date() }
    /// What the client knows is kept between starts by these.
    var load: @Sendable () -> Data? = { UserDefaults.standard.data(forKey: "PawlClient") }
    var save: @Sendable (Data) -> Void = { UserDefaults.standard.set($0, forKey: "PawlClient") }
    /// Whether a key of 32 bytes made a signature of a message (Ed25519, RFC 8032).
    var isSigned: @Sendable (_ key: Data, _ signature: Data, _ message: Data) -> Bool = PawlClient.isSigned

    init(base: URL, app: String) { (self.base, self.app) = (base, app) }
  }

  private struct Memory: Codable {
    var answer = PawlAnswer()
    /// The last good files, by name.
    var files: [String: File] = [:]
    /// Of the newest signed document that counted.
    var ledger: String?, generation = 0, key: String?
    var remindedOf: String?, remindedAt: Date?
    struct File: Codable { var tag: String, bytes: Data }
  }

  private enum Doubt: Error { case missing, failed, unsigned, notAsked, expired, older, unreadable }
  fileprivate typealias Object = [String: Any]

  private let configuration: Configuration
  private var memory: Memory

  init(_ configuration: Configuration) {
    self.configuration = configuration
    memory = configuration.load().flatMap { try? JSONDecoder().decode(Memory.self, from: $0) } ?? Memory()
    // A key that is no longer trusted may have signed any generation: nothing it signed counts.
    if let key = memory.key, configuration.keys[key] == nil { memory = Memory() }
  }

  /// What to show now; nil for nothing. A reminder counts as shown, and comes again when the document says so.
  func prompt() async -> PawlAnswer? {
    let (answer, now) = (await ask(), configuration.now())
    guard answer.action == .remind else { return answer.action == .force ? answer : nil }
    if memory.remindedOf == answer.target, let last = memory.remindedAt, answer.remindEvery != .always {
      if answer.remindEvery == .once || (last <= now && now < last.addingTimeInterval(86_400)) { return nil }
    }
    (memory.remindedOf, memory.remindedAt) = (answer.target, now)
    keep()
    return answer
  }

  /// What this version is told now, whatever was shown before.
  func ask() async -> PawlAnswer {
    do {
      memory.answer = try await answer()
    } catch {
      let known = memory.answer
      memory.answer = PawlAnswer(review: known.review, settings: known.settings, remindEvery: known.remindEvery)
    }
    keep()
    return memory.answer
  }

  private func keep() { (try? JSONEncoder().encode(memory)).map(configuration.save) }

  private func answer() async throws -> PawlAnswer {
    guard let client = Version(configuration.version), let system = Version(configuration.system) else {
      throw Doubt.unreadable
    }
    do {
      let (own, _) = try await document(configuration.version) {
        $0["version"] is NSNull || $0.version("version") == client
      }
      // Some servers answer with default.json where a version has no file.
      if !(own["version"] is NSNull) { return try answer(to: own, system) }
    } catch Doubt.missing {}
    do {
      let (schedule, now) = try await document("schedule") { $0["rows"] is [Any] }
      let row = try Self.row(of: schedule, client, now)
      return try answer(to: row, system) { told in
        let notes = (schedule["notes"] as? Object)?[told.text("targetApp") ?? ""] as? Object
        return notes?[told.text("target") ?? ""] as? [String: String]
      }
    } catch Doubt.missing {}
    return try answer(to: await document("default") { $0["version"] is NSNull }.payload, system)
  }

  /// The row of a schedule that says what a version is told now; docs/documents.md has the steps in words.
  private static func row(of schedule: Object, _ client: Version, _ now: Date) throws -> Object {
    let (key, now) = (client.key, now.timeIntervalSince1970)
    let row = (schedule["rows"] as? [Object] ?? []).first { row in
      guard let lo = row.text("lo"), let hi = row.text("hi"), lo <= key, key < hi,
        let from = row["validFrom"] as? Int, let until = row["validUntil"] as? Int
      else { return false }
      return Double(from) <= now && now < Double(until)
    }
    guard let row else { throw Doubt.unreadable }
    return row
  }

  private func answer(
    to document: Object, _ system: Version, notes: (Object) -> [String: String]? = { $0["notesByLocale"] as? [String: String] }
  ) throws -> PawlAnswer {
    guard let tiers = document["tiers"] as? [Object] else { throw Doubt.unreadable }
    let told = tiers.first { $0.version("osBelow").map { system < $0 } ?? true } ?? document
    var answer = PawlAnswer(review: document["review"] as? Bool ?? false)
    answer.settings = document["settings"] as? [String: String] ?? [:]
    answer.remindEvery = document.text("remindEvery").flatMap(PawlAnswer.Cadence.init) ?? .once
    guard let action = told.text("action").flatMap(PawlAnswer.Action.init) else { throw Doubt.unreadable }
    answer.prompt(action, told, url: told["url"]) {
      let notes = notes(told) ?? [:]
      return note(notes) ?? told.text("notes") ?? notes.min { $0.key < $1.key }?.value
    }
    return answer
  }

  /// A document that may be acted on, and what time it is.
  private func document(_ name: String, isAsked: (Object) -> Bool) async throws -> (payload: Object, now: Date) {
    let isSigned = !configuration.keys.isEmpty
    let file = name + (isSigned ? ".jws" : ".json")
    let url = configuration.base.appendingPathComponent(isSigned ? "v1-signed" : "v1")
      .appendingPathComponent(configuration.app).appendingPathComponent(file)
    let known = memory.files[file]
    // Whatever does not count is asked for as a whole next time.
    memory.files[file] = nil
    guard let reply = await Exchange.get(url, tag: known?.tag, configuration.limit, configuration.patience) else {
      memory.files[file] = known
      throw Doubt.failed
    }
    if [403, 404, 410].contains(reply.status) { throw Doubt.missing }
    guard reply.status == 200 || reply.status == 304,
      let bytes = reply.status == 200 ? reply.body : known?.bytes
    else { throw Doubt.failed }
    let (json, key) = isSigned ? try verified(bytes) : (bytes, nil)
    guard let payload = try JSONSerialization.jsonObject(with: json) as? Object,
      payload.text("app") == configuration.app, isAsked(payload)
    else { throw Doubt.notAsked }
    let device = configuration.now(), now = reply.date ?? device
    if let end = payload.text("validUntil"), end <= Self.text(now) { throw Doubt.expired }
    if let key { try check(payload, key, max(now, device)) }
    memory.files[file] = reply.status == 304 ? known : reply.tag.map { Memory.File(tag: $0, bytes: bytes) }
    return (payload, now)
  }

  /// The payload of a compact JWS that a trusted key signed. Its header has one form, and so is compared, not read.
  private func verified(_ bytes: Data) throws -> (payload: Data, key: String?) {
    // A line feed may follow: it tells two states of one second apart.
    let text = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.bytes(parts[0]), let payload = Self.bytes(parts[1]),
      let signature = Self.bytes(parts[2]),
      let name = configuration.keys.keys.first(where: {
        header == Data(#"{"alg":"EdDSA","kid":"\#($0)","typ":"pawl+jws"}"#.utf8)
      }), let key = configuration.keys[name].flatMap({ Self.bytes($0[...]) }), key.count == 32,
      configuration.isSigned(key, signature, Data("\(parts[0]).\(parts[1])".utf8))
    else { throw Doubt.unsigned }
    return (payload, name)
  }

  /// Refuses what was signed for another app, is past its time, or is older than what was seen of the same ledger.
  private func check(_ payload: Object, _ key: String, _ now: Date) throws {
    guard payload.text("aud") == configuration.app, let ledger = payload.text("ledger"),
      let generation = payload["generation"] as? Int, let end = payload["exp"] as? Int
    else { throw Doubt.notAsked }
    guard now.timeIntervalSince1970 < Double(end) else { throw Doubt.expired }
    guard ledger != memory.ledger || generation >= memory.generation else { throw Doubt.older }
    (memory.ledger, memory.generation, memory.key) = (ledger, generation, key)
  }

  /// The note in the user's language: the same tag, else a shorter one, else one of the same language (RFC 4647).
  private func note(_ notes: [String: String]) -> String? {
    func plain(_ tag: String) -> String { tag.lowercased().replacingOccurrences(of: "_", with: "-") }
    func isHant(_ tag: String) -> Bool {
      ["-hant", "-tw", "-hk", "-mo"].contains { tag.contains($0) } && !tag.contains("-hans")
    }
    let language = plain(configuration.languages.first ?? "")
    let known = notes.map { (tag: plain($0.key), text: $0.value) }.sorted { $0.tag < $1.tag }
    var wanted = language[...]
    while true {
      if let note = known.first(where: { $0.tag == wanted }) { return note.text }
      guard let hyphen = wanted.lastIndex(of: "-") else { break }
      wanted = wanted[..<hyphen]
    }
    let related = known.filter { $0.tag.hasPrefix(wanted + "-") }
    let same = wanted == "zh" ? related.first { isHant($0.tag) == isHant(language) } : nil
    return (same ?? related.first)?.text
  }

  /// Base64 for URLs (RFC 7515, section 2).
  private static func bytes(_ text: Substring) -> Data? {
    let text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
  }

  /// A moment as the documents write it, so that moments compare as texts.
  private static func text(_ date: Date) -> String { formatter("yyyy-MM-dd'T'HH:mm:ss'Z'").string(from: date) }

  fileprivate static func formatter(_ format: String) -> DateFormatter {
    let formatter = DateFormatter()
    (formatter.locale, formatter.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(secondsFromGMT: 0))
    formatter.dateFormat = format
    return formatter
  }

  @Sendable private static func isSigned(_ key: Data, _ signature: Data, _ message: Data) -> Bool {
    #if canImport(CryptoKit)
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key)
      return key?.isValidSignature(signature, for: message) ?? false
    #else
      return false
    #endif
  }
}

extension PawlAnswer {
  /// Takes in a prompt, if its page is one that a client opens.
  fileprivate mutating func prompt(_ action: Action, _ told: [String: Any], url: Any?, notes: () -> String?) {
    guard action != .none, let page = (url as? String).flatMap(URL.init(string:)),
      ["https", "itms-apps", "itms-appss", "itms-services", "com.apple.tvappstore"]
        .contains(page.scheme?.lowercased() ?? "")
    else { return }
    (self.action, self.url, self.notes) = (action, page, notes())
    target = told["target"] as? String
  }
}

extension [String: Any] {
  fileprivate func text(_ name: String) -> String? { self[name] as? String }
  fileprivate func version(_ name: String) -> Version? { Version(text(name)) }
}

/// One to four numbers; a missing one counts as 0.
private struct Version: Comparable {
  let numbers: [Int]
  init?(_ text: String?) {
    let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.utf8.count < 10 && $0.utf8.allSatisfy { 48...57 ~= $0 } ? Int($0) : nil }
    guard (1...4).contains(parts.count), numbers.count == parts.count else { return nil }
    self.numbers = numbers + Array(repeating: 0, count: 4 - numbers.count)
  }

  /// Four numbers of nine digits, which sort as versions do.
  var key: String { numbers.map { String(repeating: "0", count: 9 - String($0).count) + String($0) }.joined() }

  static func < (left: Version, right: Version) -> Bool { left.numbers.lexicographicallyPrecedes(right.numbers) }
}

/// One GET that ends in time, takes no more than a limit, and is led to no other host.
private final class Exchange: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// `date` is the server's clock and what caches add to it; the device's may be set to anything.
  struct Reply: Sendable { let status: Int, body: Data, tag: String?, date: Date? }

  private let limit: Int, done: CheckedContinuation<Reply?, Never>
  // Used on the session's own queue only, which is serial; nil once it was too much.
  private var body: Data? = Data()

  private init(_ limit: Int, _ done: CheckedContinuation<Reply?, Never>) { (self.limit, self.done) = (limit, done) }

  static func get(_ url: URL, tag: String?, _ limit: Int, _ patience: Double) async -> Reply? {
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: patience)
    if let tag { request.setValue(tag, forHTTPHeaderField: "If-None-Match") }
    return await withCheckedContinuation { done in
      let session = URLSession(configuration: .ephemeral, delegate: Exchange(limit, done), delegateQueue: nil)
      let task = session.dataTask(with: request)
      task.resume()
      session.finishTasksAndInvalidate()
      DispatchQueue.global().asyncAfter(deadline: .now() + patience) { task.cancel() }  // It may go on and on.
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let (from, to) = (task.originalRequest?.url, request.url)
    completionHandler(from?.host == to?.host && from?.scheme == to?.scheme && from?.port == to?.port ? request : nil)
  }

  func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if let body, body.count + data.count > limit { self.body = nil }
    if body == nil { dataTask.cancel() } else { body?.append(data) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard error == nil, let body, let http = task.response as? HTTPURLResponse else { return done.resume(returning: nil) }
    func field(_ name: String) -> String? {
      http.allHeaderFields.first { ($0.key as? String)?.lowercased() == name }?.value as? String
    }
    let date = field("date").flatMap(PawlClient.formatter("EEE, dd MMM yyyy HH:mm:ss zzz").date)?
      .addingTimeInterval(field("age").flatMap(Double.init) ?? 0)
    done.resume(returning: Reply(status: http.statusCode, body: body, tag: field("etag"), date: date))
  }
}
