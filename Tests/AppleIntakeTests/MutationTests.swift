import AppleIntake
import MailCorpus
import TestSupport
import Testing

@Suite struct MutationTests {
  /// What a signature covers, found in another way than the verifier does: the signed fields from the bottom, the body.
  private struct Covered: Equatable {
    let fields: [String]
    let body: [UInt8]

    init(_ bytes: [UInt8]) {
      var lines: [[UInt8]] = []
      for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
        lines.append(Array(line.last == 0x0D ? line.dropLast() : line))
      }
      let end = lines.firstIndex(of: []) ?? lines.count
      var fields: [String] = []
      for line in lines[..<end] {
        let text = String(decoding: line, as: UTF8.self)
        if line.first == 0x20 || line.first == 0x09, let last = fields.popLast() {
          fields.append(last + text)
        } else {
          fields.append(text)
        }
      }
      self.fields = ["date:", "from:", "to:", "message-id:", "subject:", "content-type:"].map { name in
        fields.last { $0.lowercased().hasPrefix(name) }.map(Reference.relaxedHeader) ?? "no \(name)"
      }
      let body = lines.dropFirst(end + 1).map { $0 + [0x0D, 0x0A] }.joined()
      self.body = Reference.relaxedBody(Array(body.dropLast(2)))
    }
  }

  private static func mutated(_ bytes: [UInt8], with other: [UInt8], _ random: inout Seeded) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard bytes.count > 2 else { return bytes }
      // Half of the changes fall on the header, which is the smaller half.
      let limit = Bool.random(using: &random) ? min(1_800, bytes.count) : bytes.count
      let place = Int.random(in: 0..<limit, using: &random)
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
      case 4: bytes = Array(bytes.prefix(place))
      case 5:
        let start = Int.random(in: 0..<other.count, using: &random)
        let piece = other[start..<min(other.count, start + Int.random(in: 1...400, using: &random))]
        bytes.insert(contentsOf: piece, at: place)
      case 6:
        let start = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        bytes.insert(contentsOf: bytes[start..<end], at: Bool.random(using: &random) ? 0 : end)
      case 7: bytes.insert([0x20, 0x09, 0x0A, 0x0D, 0x3B, 0x22, 0x28][place % 7], at: place)
      default: bytes = Array(bytes.prefix(place)) + other.suffix(max(0, other.count - place))
      }
    }
    return bytes
  }

  @Test func `a change of signed content is refused, and any other does not alter what is read`() throws {
    let world = try #require(World.shared)
    var random = Seeded(20_261_121)
    var plain = Letter()
    plain.body = .plain(Letter.rows())
    var next = Letter()
    next.subject = #"The status of your (iOS) app, Taxi, is now "Rejected""#
    next.body = .alternative(
      plain: Letter.rows(sentence: "There is news.", version: "9.9.9"),
      html: Letter.table(sentence: "There is news.", version: "9.9.9"))
    let mails = [
      world.apple.sign(Letter()).bytes, world.modern.sign(plain).bytes, world.apple.sign(next).bytes,
    ]
    let notices = mails.map { examine($0, world.bySignature)?.notice }
    #expect(notices.allSatisfy { $0 != nil })
    let covered = mails.map(Covered.init)
    var accepted = 0
    for round in 0..<4_000 {
      let index = round % mails.count
      let bytes = MutationTests.mutated(mails[index], with: mails[(index + 1) % mails.count], &random)
      let examination = examine(bytes, world.bySignature)
      guard let examination, case .success = examination.proof else { continue }
      accepted += 1
      let found = Covered(bytes)
      let same = covered.firstIndex(of: found)
      #expect(same != nil, "round \(round) accepts what nobody signed")
      if let same, same == index || isAccepted(examination) {
        #expect(
          examination.notice == notices[same] || examination.notice?.kind != notices[same]?.kind,
          "round \(round)")
        if case .status(let state)? = examination.notice?.kind {
          #expect(notices[same]?.kind == .status(state), "round \(round)")
          #expect(examination.notice?.version == notices[same]?.version, "round \(round)")
        }
      }
    }
    // Some changes fall on what no signature covers; if none did, nothing was tested.
    #expect(accepted > 40, "\(accepted)")
  }

  @Test func `a changed body is not accepted by the server's verdict`() throws {
    let world = try #require(World.shared)
    var random = Seeded(7)
    let mails = [Letter(), Letter()].map { World.receivedFromApple(world.apple.sign($0)).bytes }
    let original = Covered(mails[0]).body
    var accepted = 0
    for round in 0..<1_000 {
      let bytes = MutationTests.mutated(mails[0], with: mails[1], &random)
      guard isAccepted(examine(bytes, world.byServer)) else { continue }
      accepted += 1
      #expect(Covered(bytes).body == original, "round \(round)")
    }
    #expect(accepted > 20, "\(accepted)")
  }

  @Test func `random bytes crash no parser`() {
    var random = Seeded(3)
    let words = [
      "From: ", "Subject:", "\r\n", "\n", " ", "\t", "=?UTF-8?Q?", "?=", "\"", "(", ")", "<", ">", "@", ";",
      "=", "Content-Type: multipart/",
      "boundary=b", "--b", "--b--", "DKIM-Signature: v=1;", "b=", "\u{1B}$B", "&#", "<a href=", "<!--", "é",
      "a", "0",
    ].map { Array($0.utf8) }
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...60, using: &random)
      let bytes = (0..<count).flatMap { _ in words.randomElement(using: &random) ?? [] }
      let text = String(decoding: bytes, as: UTF8.self)
      if let message = try? RawMessage(bytes) {
        _ = MailExamination(message, trust: MailTrust(servers: ["b"]), now: World.now)
        _ = AppleNotice(message, subject: text)
        _ = try? DKIMVerifier(keys: []).verdicts(on: message, now: World.now)
      }
      _ = MailAddress.list(bytes)
      _ = EncodedWords.decode(bytes)
      _ = MailDate.read(bytes)
      _ = MessageID.read(bytes)
      _ = ContentType(bytes)
      _ = AuthenticationResults(bytes)
      _ = HTMLText(text)
      _ = QuotedPrintable.decode(bytes[...])
      _ = Charset.iso2022JP.decode(bytes)
      _ = try? PinnedKey(domain: "a", selector: "b", text: text)
    }
  }

  @Test(arguments: [
    "(", "\"", "<", "=?UTF-8?Q?a?= ", "a@b,", "&", "<!--", "<a href='", "--b\r\n", "It is. ", "\u{1B}$B",
    "a=b;", ";", "\\\"",
    "The status of your app has changed to ", "https://appstoreconnect.apple.com/apps/1/ ", "<script>", "</",
    ", is now \"",
  ])
  func `a mebibyte of one repeated text is parsed within 20 seconds`(piece: String) {
    let flood = String(repeating: piece, count: 900_000 / piece.utf8.count)
    let head =
      "From: \(flood.prefix(60_000))\r\nSubject: \(flood.prefix(60_000))\r\nDKIM-Signature: \(flood.prefix(60_000))\r\n"
    let types = ["text/plain", "text/html", "multipart/mixed; boundary=b"]
    let time = ContinuousClock().measure {
      for type in types {
        let bytes = Array("Content-Type: \(type)\r\n\(type == types[0] ? head : "")\r\n\(flood)".utf8)
        guard let message = try? RawMessage(bytes.filter { $0 != 0x1B || type == types[0] }) else { continue }
        _ = AppleNotice(message, subject: String(flood.prefix(60_000)))
        _ = try? DKIMVerifier(keys: []).verdicts(on: message, now: World.now)
        _ = try? MailHeaders(message)
      }
    }
    // A debug build is some thirty times slower than what is shipped.
    #expect(time < .seconds(20))
  }
}
