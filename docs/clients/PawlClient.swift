// Asks the schedule that `pawl export` writes what this version of an app is told: nothing, a reminder that the user may
// put off, or an update that nobody gets past. Copy the file into the app as it is; README.md beside it has screens.
// It needs Foundation and, for signatures, CryptoKit (iOS 13, macOS 10.15, tvOS 13, watchOS 6), and Swift 6.1 or newer.
//
// No answer means no prompt: whatever goes wrong, nobody is prompted, what was known before stays, and `report` hears why.

public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif
#if canImport(CryptoKit)
  import CryptoKit
#endif

/// What this version of the app is told.
public nonisolated struct PawlAnswer: Sendable, Equatable, Codable {
  /// What the app does: nothing, a prompt with "Later", or a screen that nobody gets past.
  public enum Action: String, Sendable, Codable { case none, remind, force }
  /// How often one target is reminded of.
  public enum Cadence: String, Sendable, Codable { case once, daily = "1d", always }

  public var action = Action.none
  /// Whether this version is not released, so that a reviewer may be looking at it.
  public var review = false
  /// The version to update to, of which app, the page to open for it, and what is new in it, in the user's language.
  public var target: String?, targetApp: String?, url: URL?, notes: String?
  /// From when this version is forced, as known now; nil if it is forced already, or never will be.
  public var forcedFrom: Date?
  /// Values for this version.
  public var settings: [String: String] = [:]
  public var remindEvery = Cadence.once

  public init() {}

  /// What the settings say in the prompt, and of a maintenance, by the convention of texts.md.
  public var title: String? { text("prompt.\(action.rawValue).title") }
  public var message: String? { text("prompt.\(action.rawValue).text") }
  public var maintenance: String? { text("maintenance") }

  /// A text among the settings, in the first language that it is in: `NAME.de-AT`, then `NAME.de`, at last `NAME`.
  public func text(_ name: String, languages: [String] = Locale.preferredLanguages) -> String? {
    for language in languages {
      var tag = language[...]
      while !tag.isEmpty {
        if let text = settings["\(name).\(tag)"] { return text }
        tag = tag[..<(tag.lastIndex(of: "-") ?? tag.startIndex)]
      }
    }
    return settings[name]
  }
}

private typealias Object = [String: Any]

/// A client of one app's documents; make one and keep it.
public actor PawlClient {
  /// Why there is no answer.
  public nonisolated enum Doubt: Error, Sendable, Equatable {
    /// No reply in time, or another status than 200 or 304.
    case offline, status(Int)
    /// Longer than any schedule, or none that this client can read.
    case tooLong, unreadable
    /// Not signed by a key that is trusted, or signed for another app or as another kind of document.
    case wrongKey, otherDocument
    /// Past its time, from more than five minutes ahead, or older than one that was seen.
    case expired, early, older
  }

  /// Whom to ask, as whom, and what to trust.
  public nonisolated struct Configuration: Sendable {
    /// The address that the folder `v1` or `v1-signed` is below, and the app's name in the ledger.
    public var base: URL, app: String
    /// The keys that are trusted, by `kid`, each as the `x` that `pawl export --sign` prints; with any here only signed
    /// documents count. Add the key that comes next, so that keys can be changed without an update of the app.
    public var keys: [String: String] = [:]
    /// What the store calls the version: never the build, nor the version of a JavaScript bundle.
    public var version = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? ""
    public var system: String = {
      var system = ProcessInfo.processInfo.operatingSystemVersion
      #if os(macOS) || targetEnvironment(macCatalyst)
        // What a program that was built with an older SDK is told of macOS 26 and 11.
        if system.majorVersion == 16 { system.majorVersion = 26 }
        if (system.majorVersion, system.minorVersion) == (10, 16) { (system.majorVersion, system.minorVersion) = (11, 0) }
      #endif
      return "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
    }()
    /// Whether Apple's sandbox runs the app (App Review, TestFlight), where nobody is prompted: there is a receipt of that
    /// name, and no profile, which builds of one's own have.
    public var isSandbox: @Sendable () -> Bool = {
      #if canImport(Darwin)
        guard let receipt = Bundle.main.appStoreReceiptURL, receipt.lastPathComponent == "sandboxReceipt" else { return false }
        return FileManager.default.fileExists(atPath: receipt.path)
          && Bundle.main.url(forResource: "embedded", withExtension: "mobileprovision") == nil
      #else
        return false
      #endif
    }
    /// The user's languages; notes are in the first of them that there are notes in.
    public var languages = Locale.preferredLanguages
    /// How many seconds to wait for a document.
    public var patience = 10.0
    public var now: @Sendable () -> Date = { Date() }, calendar = Calendar.current
    /// Gets a document; another one makes the client testable without a server.
    public var fetch: @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse) = { try await Exchange.get($0) }
    /// Hears why there is no answer, so that somebody notices when nobody can be prompted.
    public var report: @Sendable (Doubt) -> Void = { _ in }
    /// What the client knows is kept between starts by these, for each app and base.
    public var load: @Sendable () -> Data?, save: @Sendable (Data) -> Void
    /// Whether a key of 32 bytes made a signature of a message (Ed25519, RFC 8032).
    public var isSigned: @Sendable (_ key: Data, _ signature: Data, _ message: Data) -> Bool = PawlClient.isSigned

    public init(base: URL, app: String) {
      (self.base, self.app) = (base, app)
      let name = "PawlClient \(app) \(base.absoluteString)"
      load = { UserDefaults.standard.data(forKey: name) }
      save = { UserDefaults.standard.set($0, forKey: name) }
    }
  }

  /// The most bytes of a document: no schedule that pawl writes has as many.
  public static let limit = 16 << 20

  private nonisolated struct Memory: Codable {
    /// The last answer, and the version of the app that it was for.
    var answer = PawlAnswer(), version = ""
    /// The last good document and its ETag; a long one is got again each time, since defaults have to be small.
    var tag: String?, bytes: Data?
    /// Of the newest signed document that counted.
    var ledger: String?, generation = 0, key: String?
    var remindedOf: String?, remindedApp: String?, remindedAt: Date?, laterUntil: Date?

    init(_ configuration: Configuration) {
      guard let known = configuration.load().flatMap(restored) else { return }
      // A key that is no longer trusted may have signed any generation: nothing it signed counts.
      if let key = known.key, configuration.keys[key] == nil { return }
      self = known
      if version != configuration.version { answer = PawlAnswer() }
    }

    /// What another version of this file kept: a member that it lacked is as at first, one that is gone is passed over.
    private func restored(_ bytes: Data) -> Memory? {
      func members(_ data: Data?) -> Object { data.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? Object ?? [:] }
      let (new, kept) = (members(try? JSONEncoder().encode(self)), members(bytes))
      var all = new.merging(kept) { $1 }
      for answer in [(new["answer"] as? Object ?? [:]).merging(kept["answer"] as? Object ?? [:]) { $1 }, new["answer"]] {
        all["answer"] = answer
        let data = (try? JSONSerialization.data(withJSONObject: all)) ?? Data()
        if let memory = try? JSONDecoder().decode(Memory.self, from: data) { return memory }
      }
      return nil
    }
  }

  private let configuration: Configuration
  private var memory: Memory

  public init(_ configuration: Configuration) {
    self.configuration = configuration
    memory = Memory(configuration)
  }

  /// The last answer, at once: for settings that a first screen needs. It may be old, so prompt with what `prompt` says.
  public nonisolated var known: PawlAnswer { Memory(configuration).answer }

  /// What to show now; nil for nothing. Say `shown` once the user sees a reminder, or it is returned again.
  public func prompt() async -> PawlAnswer? {
    let (answer, now) = (await ask(), configuration.now())
    guard answer.action == .remind else { return answer.action == .force ? answer : nil }
    guard memory.remindedOf == answer.target, memory.remindedApp == answer.targetApp else { return answer }
    if let until = memory.laterUntil { return until <= now ? answer : nil }
    guard let last = memory.remindedAt, answer.remindEvery != .always else { return answer }
    return answer.remindEvery == .once || configuration.calendar.isDate(last, inSameDayAs: now) ? nil : answer
  }

  /// Counts a reminder that the user sees: it comes again as often as `remindEvery` says. A force uses up none.
  public func shown(_ answer: PawlAnswer) {
    guard answer.action == .remind else { return }
    (memory.remindedOf, memory.remindedApp) = (answer.target, answer.targetApp)
    (memory.remindedAt, memory.laterUntil) = (configuration.now(), nil)
    keep()
  }

  /// Puts a reminder off until a moment, when it comes again whatever `remindEvery` says.
  public func later(_ answer: PawlAnswer, until: Date) {
    shown(answer)
    if answer.action == .remind { memory.laterUntil = until }
    keep()
  }

  /// What this version is told now, whatever was shown before; `none` where there is no answer.
  public func ask() async -> PawlAnswer { (try? await answer()) ?? memory.answer }

  /// What this version is told now: `none` means that it is up to date. Throws `Doubt` where there is no answer.
  public func answer() async throws -> PawlAnswer {
    defer {
      memory.version = configuration.version
      keep()
    }
    do { memory.answer = try await decided() } catch {
      let known = memory.answer
      memory.answer = PawlAnswer()
      (memory.answer.review, memory.answer.settings) = (known.review, known.settings)
      memory.answer.remindEvery = known.remindEvery
      configuration.report(error as? Doubt ?? .unreadable)
      throw error as? Doubt ?? .unreadable
    }
    return memory.answer
  }

  private func keep() { (try? JSONEncoder().encode(memory)).map(configuration.save) }

  /// What the schedule says; docs/documents.md has the steps in words.
  private func decided() async throws -> PawlAnswer {
    guard let client = Version(configuration.version)?.key, let system = Version(configuration.system, isSystem: true)?.key else {
      throw Doubt.unreadable
    }
    let (schedule, now) = try await schedule()
    let rows: [(from: Double, until: Double, row: Object, told: Object)] = try (schedule["rows"] as? [Object] ?? [])
      .filter { row in (row["lo"] as? String).map { $0 <= client } ?? false && (row["hi"] as? String ?? "") > client }
      .map { row in
        guard let from = row["validFrom"] as? Double, let until = row["validUntil"] as? Double,
          let tiers = row["tiers"] as? [Object]
        else { throw Doubt.unreadable }
        let tier = tiers.first { Version($0["osBelow"] as? String).map { system < $0.key } ?? true }
        return (from, until, row, tier ?? row)
      }
    guard let (_, _, row, told) = rows.first(where: { $0.from <= now && now < $0.until }),
      let action = (told["action"] as? String).flatMap(PawlAnswer.Action.init)
    else { throw Doubt.unreadable }
    var answer = PawlAnswer()
    answer.review = row["review"] as? Bool ?? false
    answer.settings = row["settings"] as? [String: String] ?? [:]
    answer.remindEvery = (row["remindEvery"] as? String).flatMap(PawlAnswer.Cadence.init) ?? .once
    if configuration.isSandbox() { return answer }
    if action != .none, let page = Self.page(told) {
      (answer.action, answer.url) = (action, page)
      (answer.target, answer.targetApp) = (told["target"] as? String, told["targetApp"] as? String)
      let notes = (schedule["notes"] as? Object)?[answer.targetApp ?? ""] as? Object
      answer.notes = note(notes?[answer.target ?? ""] as? [String: String] ?? [:])
    }
    if answer.action != .force {
      answer.forcedFrom = rows.filter { now < $0.from && $0.told["action"] as? String == "force" && Self.page($0.told) != nil }
        .map(\.from).min().map(Date.init(timeIntervalSince1970:))
    }
    return answer
  }

  /// The page that an answer leads to, if it is one that a client opens.
  private static func page(_ told: Object) -> URL? {
    let page = (told["url"] as? String).flatMap(URL.init(string:))
    let schemes = ["https", "itms-apps", "itms-appss", "itms-services", "com.apple.tvappstore"]
    return schemes.contains(page?.scheme?.lowercased() ?? "") ? page : nil
  }

  /// A schedule that may be acted on, and what time it is, in seconds since 1970.
  private func schedule() async throws -> (schedule: Object, now: Double) {
    let isSigned = !configuration.keys.isEmpty
    let url = configuration.base.appendingPathComponent(isSigned ? "v1-signed" : "v1")
      .appendingPathComponent(configuration.app).appendingPathComponent(isSigned ? "schedule.jws" : "schedule.json")
    var request = URLRequest(
      url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: configuration.patience)
    let (tag, known) = (memory.tag, memory.bytes)
    if let tag, known != nil { request.setValue(tag, forHTTPHeaderField: "If-None-Match") }
    // A server's log says how many devices run which version; see docs/usage.md.
    let agent = "PawlClient \(configuration.app)/\(configuration.version)"
    request.setValue(agent, forHTTPHeaderField: "User-Agent")
    let body: Data, http: HTTPURLResponse
    do { (body, http) = try await configuration.fetch(request) } catch { throw error as? Doubt ?? .offline }
    // Whatever does not count is asked for as a whole next time.
    (memory.tag, memory.bytes) = (nil, nil)
    guard http.statusCode == 200 || http.statusCode == 304, let bytes = http.statusCode == 200 ? body : known else {
      throw Doubt.status(http.statusCode)
    }
    guard bytes.count <= Self.limit else { throw Doubt.tooLong }
    let (json, key) = isSigned ? try verified(bytes) : (bytes, nil)
    guard let schedule = try? JSONSerialization.jsonObject(with: json) as? Object else { throw Doubt.unreadable }
    guard schedule["app"] as? String == configuration.app, schedule["rows"] is [Any], let from = schedule["from"] as? Double
    else { throw Doubt.otherDocument }
    // The server's clock, and what caches add to it: the device's may be set to anything.
    func field(_ name: String) -> String? { http.value(forHTTPHeaderField: name) }
    let device = configuration.now().timeIntervalSince1970
    var now = field("Date").flatMap(Self.date).map { $0 + (field("Age").flatMap(Double.init) ?? 0) } ?? device
    if key != nil { now = max(now, device) }
    guard from <= now + 300 else { throw Doubt.early }
    if let key { try check(schedule, key, now) }
    if bytes.count <= 1 << 18 { (memory.tag, memory.bytes) = (http.statusCode == 304 ? tag : field("ETag"), bytes) }
    return (schedule, max(now, from))
  }

  /// The payload of a compact JWS that a trusted key signed. Its header has one form, and so is compared, not read.
  private func verified(_ bytes: Data) throws -> (payload: Data, key: String?) {
    // A line feed may follow: it tells two states of one second apart.
    let text = String(decoding: bytes.last == 0x0A ? bytes.dropLast() : bytes, as: UTF8.self)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.bytes(parts[0]), let payload = Self.bytes(parts[1]),
      let signature = Self.bytes(parts[2]),
      let name = configuration.keys.keys.first(where: {
        header == Data(#"{"alg":"EdDSA","kid":"\#($0)","typ":"pawl+jws"}"#.utf8)
      }), let key = configuration.keys[name].flatMap({ Self.bytes($0[...]) }), key.count == 32,
      configuration.isSigned(key, signature, Data("\(parts[0]).\(parts[1])".utf8))
    else { throw Doubt.wrongKey }
    return (payload, name)
  }

  /// Refuses what was signed for another app, is past or before its time, or is older than what was seen of one ledger.
  private func check(_ schedule: Object, _ key: String, _ now: Double) throws {
    guard schedule["aud"] as? String == configuration.app, let ledger = schedule["ledger"] as? String,
      let generation = schedule["generation"] as? Int, let signed = schedule["iat"] as? Double,
      let end = schedule["exp"] as? Double
    else { throw Doubt.otherDocument }
    guard now < end else { throw Doubt.expired }
    guard signed <= now + 300 else { throw Doubt.early }
    guard ledger != memory.ledger || generation >= memory.generation else { throw Doubt.older }
    (memory.ledger, memory.generation, memory.key) = (ledger, generation, key)
  }

  /// The note in the first of the user's languages that there is one in, else in any.
  private func note(_ notes: [String: String]) -> String? {
    func plain(_ tag: String) -> String { tag.lowercased().replacingOccurrences(of: "_", with: "-") }
    let known = notes.map { (tag: plain($0.key), text: $0.value) }.sorted { $0.tag < $1.tag }
    return configuration.languages.lazy.compactMap { Self.note(plain($0), known) }.first ?? known.first?.text
  }

  /// The note in a language: the same tag, else a shorter one, else one of the same language (RFC 4647).
  private static func note(_ language: String, _ known: [(tag: String, text: String)]) -> String? {
    func isHant(_ tag: String) -> Bool { ["-hant", "-tw", "-hk", "-mo"].contains { tag.contains($0) } && !tag.contains("-hans") }
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

  /// A moment as HTTP writes it (RFC 9110, section 5.6.7), in seconds since 1970.
  private static func date(_ text: String) -> Double? {
    let formatter = DateFormatter()
    (formatter.locale, formatter.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(secondsFromGMT: 0))
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return formatter.date(from: text)?.timeIntervalSince1970
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

/// One to four numbers, of a system one to three, without zeros before them; a missing one counts as 0.
private nonisolated struct Version {
  /// Four numbers of nine digits, which sort as versions do.
  let key: String

  init?(_ text: String?, isSystem: Bool = false) {
    let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false)
    guard (1...(isSystem ? 3 : 4)).contains(parts.count),
      parts.allSatisfy({ (1...9).contains($0.utf8.count) && $0.utf8.allSatisfy { 48...57 ~= $0 } }),
      !isSystem || parts.allSatisfy({ $0 == "0" || !$0.hasPrefix("0") })
    else { return nil }
    key = (parts + Array(repeating: "", count: 4 - parts.count))
      .map { String(repeating: "0", count: 9 - $0.utf8.count) + $0 }.joined()
  }
}

/// One GET that ends in time, takes no more than a limit, and is led to no other host.
private nonisolated final class Exchange: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let done: CheckedContinuation<(Data, HTTPURLResponse), any Error>
  // Used on the session's own queue only, which is serial; nil once it was too much.
  private var body: Data? = Data()

  private init(_ done: CheckedContinuation<(Data, HTTPURLResponse), any Error>) { self.done = done }

  static func get(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    try await withCheckedThrowingContinuation { done in
      let session = URLSession(configuration: .ephemeral, delegate: Exchange(done), delegateQueue: nil)
      let task = session.dataTask(with: request)
      task.resume()
      session.finishTasksAndInvalidate()
      // It may go on and on.
      DispatchQueue.global().asyncAfter(deadline: .now() + request.timeoutInterval) { task.cancel() }
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
    if let body, body.count + data.count > PawlClient.limit { self.body = nil }
    if body == nil { dataTask.cancel() } else { body?.append(data) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let body else { return done.resume(throwing: PawlClient.Doubt.tooLong) }
    guard error == nil, let http = task.response as? HTTPURLResponse else {
      return done.resume(throwing: PawlClient.Doubt.offline)
    }
    done.resume(returning: (body, http))
  }
}
