import AppleIntake
import MailCorpus
import Testing

@Suite struct CanonicalizationTests {
  /// The mail of RFC 6376 §3.4.5.
  private let sample = Array("A: X\r\nB : Y\t\r\n\tZ  \r\n".utf8)
  private let body = Array(" C \r\nD \t E\r\n\r\n\r\n".utf8)

  @Test func `the example of RFC 6376 has the canonical forms it gives`() throws {
    #expect(String(decoding: Canonicalization.relaxed.body(body[...]), as: UTF8.self) == " C\r\nD E\r\n")
    #expect(String(decoding: Canonicalization.simple.body(body[...]), as: UTF8.self) == " C \r\nD \t E\r\n")
    // A blank before the colon, as in the example, is refused before it comes to that.
    #expect(throws: MessageFault.malformedField) { try RawMessage(sample) }
    let fields = try RawMessage(Array("A: X\r\nB: Y\t\r\n\tZ  \r\n".utf8)).header.fields
    #expect(
      fields.map { String(decoding: Canonicalization.relaxed.header($0), as: UTF8.self) } == [
        "a:X\r\n", "b:Y Z\r\n",
      ])
    #expect(
      fields.map { String(decoding: Canonicalization.simple.header($0), as: UTF8.self) } == [
        "A: X\r\n", "B: Y\t\r\n\tZ  \r\n",
      ])
  }

  @Test(arguments: [
    "", "\r\n", "\r\n\r\n", "x", "x\r\n", "x\r\n\r\n", " \t\r\nx \r\n \r\n\r\n", "a  b\tc", "\r\n\r\nx",
  ])
  func `a canonical body equals that of a simpler implementation`(body: String) {
    let bytes = Array(body.utf8)
    #expect(Canonicalization.relaxed.body(bytes[...]) == Reference.relaxedBody(bytes))
    #expect(Canonicalization.simple.body(bytes[...]) == Reference.simpleBody(bytes))
  }
}
