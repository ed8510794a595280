import TestSupport
import Testing

@testable import AppleIntake

@Suite struct MboxPlaceTests {
  private func mails(_ text: String, limit: Int = .max, piece: Int = 1 << 18) throws -> [String] {
    let mbox = Mbox(Array(text.utf8), piece: piece)
    return try mbox.places().map { String(decoding: try mbox.message(at: $0, limit: limit), as: UTF8.self) }
  }

  @Test func `a mail is taken out as it was, quoted or by its length`() throws {
    let box =
      "junk\n\nFrom a\nA: 1\n\n>From x\n\nFrom b\nContent-Length: 9\n\n\nFrom c\n\n\nFrom d\n>From e\n\n\n"
    for piece in [1, 2, 3, 7, 1 << 18] {
      #expect(
        try mails(box, piece: piece)
          == ["A: 1\n\nFrom x\n", "Content-Length: 9\n\n\nFrom c\n\n", "From e\n\n"])
    }
    #expect(try mails("") == [])
    #expect(try mails("From a") == [""])
  }

  @Test func `a file is read alike in pieces of any size`() throws {
    var random = Seeded(7)
    let parts = [
      "From a\n", ">From b\n", "\n", "\r\n", "From a\r\n", "Content-Length: 3\n", "content-length:12\r\n",
      "Content-Length: x\n", "xyz", "A: 1\n", "From", "\r", ">>From \n",
    ]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0..<14, using: &random)).map { _ in
        parts[Int.random(in: 0..<parts.count, using: &random)]
      }.joined()
      let whole = try mails(text)
      for piece in [1, 2, 5, 8, 13] {
        #expect(try mails(text, piece: piece) == whole, "\(text)")
      }
    }
  }

  @Test func `no more than a piece and a mail is read at once`() throws {
    let text = Array(String(repeating: "From a\nSubject: x\n\ny\n\n", count: 1_000).utf8)
    var most = 0
    let mbox = Mbox(piece: 64) { range in
      most = max(most, range.count)
      return Array(text[min(range.lowerBound, text.count)..<min(range.upperBound, text.count)])
    }
    let places = try mbox.places()
    #expect(places.count == 1_000)
    for place in places { _ = try mbox.message(at: place, limit: 100) }
    #expect(most <= 100)
  }

  @Test func `of a mail that is too long no more is taken than shows it`() throws {
    let long = String(repeating: "x", count: 50)
    #expect(try mails("From a\nA: 1\n\n\(long)\n\nFrom b\nB: 2\n", limit: 10) == ["A: 1\n\nxxxx", "B: 2\n"])
    #expect(try mails("From a\nContent-Length: 50\n\n\(long)", limit: 24) == ["Content-Length: 50\n\nxxxx"])
  }
}

extension Mbox {
  init(_ bytes: [UInt8], piece: Int = 1 << 18) {
    self.init(piece: piece) { range in
      Array(bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)])
    }
  }

  static func messages(of bytes: [UInt8]) -> [[UInt8]] {
    let mbox = Mbox(bytes)
    return (try? mbox.places().map { try mbox.message(at: $0) }) ?? []
  }
}
