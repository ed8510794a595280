import Testing

@testable import AppleIntake

/// Mails that are taken out of an mbox one by one.
@Suite struct MboxPlaceTests {
  private func mails(_ text: String, limit: Int = .max) -> [String] {
    let bytes = Array(text.utf8)
    return Mbox.places(in: bytes).map {
      String(decoding: Mbox.message(at: $0, of: bytes, limit: limit), as: UTF8.self)
    }
  }

  @Test func `a mail is taken out as it was, quoted or by its length`() {
    let box =
      "junk\n\nFrom a\nA: 1\n\n>From x\n\nFrom b\nContent-Length: 9\n\n\nFrom c\n\n\nFrom d\n>From e\n\n\n"
    #expect(mails(box) == ["A: 1\n\nFrom x\n", "Content-Length: 9\n\n\nFrom c\n\n", "From e\n\n"])
    #expect(mails(box) == Mbox.messages(of: Array(box.utf8)).map { String(decoding: $0, as: UTF8.self) })
    #expect(mails("") == [] && mails("From a") == [""])
  }

  @Test func `of a mail that is too long no more is taken than shows it`() {
    let long = String(repeating: "x", count: 50)
    #expect(mails("From a\nA: 1\n\n\(long)\n\nFrom b\nB: 2\n", limit: 10) == ["A: 1\n\nxxxx", "B: 2\n"])
    #expect(mails("From a\nContent-Length: 50\n\n\(long)", limit: 24) == ["Content-Length: 50\n\nxxxx"])
  }
}
