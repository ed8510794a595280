// Asks documents with docs/clients/PawlClient.swift, as a line of JSON says, and prints a line with what it was told.
//
//   {"base":…,"app":…,"version":…,"system":…,"languages":[…],"now":SECONDS,"keys":{…},"memory":NAME,"patience":S,
//    "how":"prompt|show|known|answer","later":SECONDS,"date":HTTP-DATE}
//
// Lines with one "memory" are asked by clients that keep what they know, each made anew as at an app's start. "show" is a
// prompt that the user sees, "later" one that the user puts off; "date" stands in for what the server's clock says.

import CLibcrypto
import Foundation
import PawlUpdates

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private final class Shelf: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [String: Data] = [:]

  subscript(name: String) -> Data? {
    get { lock.withLock { kept[name] } }
    set { lock.withLock { kept[name] = newValue } }
  }
}

@main struct AskPawl {
  static func main() async throws {
    let shelf = Shelf()
    while let line = readLine() {
      guard let asked = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let base = (asked["base"] as? String).flatMap(URL.init(string:)), let app = asked["app"] as? String
      else { fatalError("cannot read \(line)") }
      var configuration = PawlClient.Configuration(base: base, app: app)
      configuration.version = asked["version"] as? String ?? ""
      configuration.system = asked["system"] as? String ?? "999"
      let isSandbox = asked["sandbox"] as? Bool ?? false
      configuration.isSandbox = { isSandbox }
      configuration.languages = asked["languages"] as? [String] ?? []
      configuration.calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
      configuration.keys = asked["keys"] as? [String: String] ?? [:]
      configuration.patience = asked["patience"] as? Double ?? 10
      if let now = asked["now"] as? Double { configuration.now = { Date(timeIntervalSince1970: now) } }
      if let date = asked["date"] as? String {
        let fetch = configuration.fetch
        configuration.fetch = { request in
          let (body, http) = try await fetch(request)
          guard let url = request.url,
            let dated = HTTPURLResponse(
              url: url, statusCode: http.statusCode, httpVersion: nil, headerFields: ["Date": date])
          else { throw PawlClient.Doubt.offline }
          return (body, dated)
        }
      }
      let name = asked["memory"] as? String ?? UUID().uuidString
      if asked["alter"] != nil { shelf[name] = shelf[name].flatMap(altered) }
      configuration.load = { shelf[name] }
      configuration.save = { shelf[name] = $0 }
      configuration.isSigned = verify
      configuration.report = { shelf["why"] = Data("\($0)".utf8) }
      shelf["why"] = nil
      let client = PawlClient(configuration)
      let answer: PawlAnswer?
      switch asked["how"] as? String {
      case "known": answer = client.known
      case "answer": answer = try? await client.answer()
      case "prompt": answer = await client.prompt()
      case "show":
        answer = await client.prompt()
        if let answer { await client.shown(answer) }
        if let answer, let later = asked["later"] as? Double {
          await client.later(answer, until: Date(timeIntervalSince1970: later))
        }
      default: answer = await client.ask()
      }
      var told: [String: Any] = ["shown": answer != nil]
      told["why"] = shelf["why"].map { String(decoding: $0, as: UTF8.self) } ?? NSNull()
      if let answer {
        told["action"] = answer.action.rawValue
        told["review"] = answer.review
        told["target"] = answer.target ?? NSNull()
        told["url"] = answer.url?.absoluteString ?? NSNull()
        told["notes"] = answer.notes ?? NSNull()
        told["settings"] = answer.settings
        let title = "prompt.\(answer.action.rawValue).title"
        told["title"] = answer.text(title, languages: configuration.languages) ?? NSNull()
        told["forcedFrom"] = answer.forcedFrom?.timeIntervalSince1970 ?? NSNull()
        told["remindEvery"] = answer.remindEvery.rawValue
      }
      let bytes = try JSONSerialization.data(withJSONObject: told, options: [.sortedKeys])
      print(String(decoding: bytes, as: UTF8.self))
      fflush(nil)
    }
  }

  /// What a client of another version would have kept: with a member more, and one of the answer's less.
  static func altered(_ bytes: Data) -> Data? {
    guard var kept = (try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any],
      var answer = kept["answer"] as? [String: Any]
    else { return nil }
    answer["remindEvery"] = nil
    (kept["answer"], kept["later"]) = (answer, 1)
    return try? JSONSerialization.data(withJSONObject: kept)
  }

  @Sendable static func verify(_ key: Data, _ signature: Data, _ message: Data) -> Bool {
    let (key, signature, message) = (Array(key), Array(signature), Array(message))
    guard let handle = EVP_PKEY_new_raw_public_key(NID_ED25519, nil, key, key.count),
      let context = EVP_MD_CTX_new()
    else { return false }
    defer {
      EVP_MD_CTX_free(context)
      EVP_PKEY_free(handle)
    }
    guard EVP_DigestVerifyInit(context, nil, nil, nil, handle) == 1 else { return false }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}
