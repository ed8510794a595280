internal import MailCorpus
internal import Platform
internal import TestSupport
internal import Testing

/// What lies in the folder of every scene beside what its commands make, and the programs that are played.
enum Props {
  /// Files by name: public keys of people, and mails as Apple signs them.
  static let files: Result<[String: [UInt8]], any Error> = Result {
    var files: [String: [UInt8]] = [:]
    for signer in try Signer.three() { files["\(signer.name).pub"] = Array((signer.line + "\n").utf8) }
    let world = try #require(World.shared)
    let key = try #require(world.records.first { $0.selector == "email0517" })
    files["apple.txt"] = Array((key.text + "\n").utf8)
    for (name, status) in [
      ("in-review", "In Review"), ("approved", "Pending Developer Release"),
      ("live", "Ready for Distribution"),
    ] {
      files["\(name).eml"] = world.apple.sign(letter(status)).bytes
    }
    var forged = letter("Ready for Distribution")
    forged.messageID = "<1@example.net>"
    files["forged.eml"] = world.stranger.sign(forged).bytes
    files["zones/Europe/Berlin"] = berlin
    files["asc.p8"] = Array(keyOfRFC7515.utf8)
    let past = "docs/data/home-assistant-ios.csv"
    files[past] = try readFile("\(repository)/\(past)", limit: 1 << 20)
    files["embedded.mobileprovision"] = try readFile(
      "\(repository)/Tests/Fixtures/profiles/embedded.mobileprovision", limit: 1 << 20)
    return files
  }

  /// The file of a zone, Central Europe, whose rule at the end holds from 1970 on (RFC 8536).
  static var berlin: [UInt8] {
    func block(_ width: Int) -> [UInt8] {
      let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4]
      return Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts
        + [UInt8](repeating: 0, count: width + 1) + [0, 0, 0x0E, 0x10, 0, 0] + Array("CET\0".utf8)
    }
    return block(4) + block(8) + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8)
  }

  private static func letter(_ status: String) -> Letter {
    var letter = Letter()
    let sentence = "The status of your app has changed to \(status)."
    letter.subject = #"The status of your app, Taxi, is now "\#(status)""#
    letter.messageID = "<\(status.count)@email.apple.com>"
    letter.body = .plain(Letter.rows(sentence: sentence, version: "7.4.0", appleID: "1524608462"))
    return letter
  }

  /// App Store Connect's answer about the app, about its versions, or about uploaded builds.
  private static func connect(_ request: String) -> [UInt8] {
    if request.contains("/v1/builds?") { return Shown.answer([]) }
    guard request.contains("/appStoreVersions?") else {
      return Array(
        #"{"data":{"type":"apps","id":"1524608462","attributes":{"name":"Taxi","bundleId":"com.example.taxi","sku":"TAXI-1"}}}"#
          .utf8)
    }
    let past = [
      ("7.1.3", 410, "08-03"), ("7.2.0", 431, "09-07"), ("7.2.1", 440, "09-21"), ("7.3.0", 498, "10-26"),
      ("7.4.0", 512, "11-19"),
    ].map { version, build, day in
      let state =
        version == "7.4.0"
        ? "IN_REVIEW" : version == "7.3.0" ? "READY_FOR_DISTRIBUTION" : "REPLACED_WITH_NEW_VERSION"
      return Shown("\(version)=\(state),build:\(build),os:16.0,created:2026-\(day)T02:00:00-07:00")
    }
    return Shown.answer(past)
  }

  static func play(_ words: [String], _ input: [UInt8]) throws -> ProgramEnd {
    if words.first == "curl" {
      return ProgramEnd(
        status: 0, output: connect(String(decoding: input, as: UTF8.self)) + Array("\n200 ".utf8))
    }
    if words.first == "cat" {
      let bytes = try? readFile(words[1], limit: 1 << 20)
      return ProgramEnd(status: bytes == nil ? 1 : 0, output: bytes ?? [])
    }
    return try Signer.keygen(words, input) ?? ProgramEnd(status: 127, output: [])
  }
}
