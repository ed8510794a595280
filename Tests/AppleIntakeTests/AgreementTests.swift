import AppleIntake
import MailCorpus
import Platform
import TestSupport
import Testing

@Suite struct AgreementTests {
  @Test(.enabled(if: environment("PAWL_DKIM_CORPUS") != nil))
  func `the corpus and its verdicts are written where asked`() throws {
    let world = try #require(World.shared)
    let folder = try #require(environment("PAWL_DKIM_CORPUS"))
    func write(_ bytes: [UInt8], _ name: String) throws {
      try publishFile(bytes, as: "\(folder)/\(name)", rights: 0o644, replaces: false)
    }
    var mails: [(String, [UInt8])] = Forgeries.all.map { ($0.name, $0.bytes) }
    for base in [world.apple, world.modern, world.stranger] {
      for form in [
        "relaxed/relaxed", "relaxed/simple", "simple/relaxed", "simple/simple", "relaxed", "simple",
      ] {
        var signer = base
        signer.form = form.contains("/") ? form : "\(form)/simple"
        var blanks = Letter()
        blanks.subject = "  two  blanks \t and\r\n a\tfold  "
        blanks.body = .raw(type: "text/plain", encoding: nil, bytes: " a  b\t \n\n \n c \t\n\n\n")
        var empty = Letter()
        empty.body = .raw(type: "text/plain", encoding: nil, bytes: "")
        var open = Letter()
        open.body = .raw(type: "text/plain", encoding: nil, bytes: "no line end")
        for letter in [Letter(), blanks, empty, open] {
          mails.append(("\(base.domain) \(base.selector) \(form)", signer.sign(letter).bytes))
        }
      }
    }
    var random = Seeded(99)
    let genuine = world.apple.sign(Letter()).bytes
    for round in 0..<400 {
      var bytes = genuine
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<7, using: &random)
      mails.append(("flip \(round)", bytes))
    }
    var table = ""
    for (index, (name, bytes)) in mails.enumerated() {
      guard let message = try? RawMessage(bytes) else { continue }
      let verdict: String
      do {
        _ = try DKIMVerifier(keys: world.keys).verify(message, now: World.now)
        verdict = "pass"
      } catch {
        verdict = error.rawValue
      }
      try write(message.bytes, "\(index).eml")
      table += "\(index).eml\t\(verdict)\t\(name.filter { !$0.isNewline && $0 != "\t" })\n"
    }
    try write(Array(table.utf8), "verdicts.tsv")
    let keys = world.records.map { "\($0.selector)._domainkey.\($0.domain)\t\($0.text)\n" }.joined()
    try write(Array(keys.utf8), "keys.tsv")
  }
}
