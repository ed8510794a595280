import AppleIntake
import Testing

@Suite struct RawMessageTests {
  private func fault(_ bytes: [UInt8]) -> MessageFault? {
    do { _ = try RawMessage(bytes) } catch { return error }
    return nil
  }

  @Test func `fields keep their bytes, folding and place`() throws {
    let message = try RawMessage(Array("A: 1\n b\nSubject:2\r\n\tc\r\nA:\r\n\r\nbody\nend".utf8))
    #expect(message.header.fields.map(\.key) == ["a", "subject", "a"])
    #expect(message.header.fields.map(\.position) == [0, 1, 2])
    #expect(Array(message.header.fields[0].raw) == Array("A: 1\r\n b\r\n".utf8))
    #expect(message.header.fields[1].value == Array("2\tc".utf8))
    #expect(message.header.fields[2].value == [])
    #expect(Array(message.body) == Array("body\r\nend".utf8))
    #expect(message.header.all("a").count == 2)
    #expect(message.header.only("a") == nil)
    #expect(message.header.only("subject")?.position == 1)
  }

  @Test(arguments: [
    ("", MessageFault.noHeader), ("\n", .noHeader), ("\nbody", .noHeader), ("\r\nA: b\r\n", .noHeader),
    ("A", .malformedField),
    ("A b: c\n", .malformedField), ("A : c\n", .malformedField), (": c\n", .malformedField),
    (" A: b\n", .malformedField),
    ("Ä: b\n", .malformedField), ("A: b\n \n c\n", .malformedField), ("From a b\nA: b\n", .malformedField),
    ("A: b\u{0}\n", .nul),
    ("A: b\rc\n", .bareCarriageReturn), ("A: b\n\nx\r", .bareCarriageReturn),
    ("A: b\r\r\n", .bareCarriageReturn),
  ])
  func `text that is not a mail is refused with its fault`(text: String, expected: MessageFault) {
    #expect(fault(Array(text.utf8)) == expected)
  }

  @Test func `a mail at a limit is accepted, and one beyond it is refused`() {
    let head = Array("A: b\r\n\r\n".utf8)
    let room = RawMessage.maximumSize - head.count
    #expect(fault(head + [UInt8](repeating: 0x61, count: room)) == nil)
    #expect(fault(head + [UInt8](repeating: 0x61, count: room + 1)) == .tooLarge)
    #expect(fault(Array(String(repeating: "A: b\r\n", count: 500).utf8)) == nil)
    #expect(fault(Array(String(repeating: "A: b\r\n", count: 501).utf8)) == .tooManyFields)
    let field = "A:" + String(repeating: "b", count: Header.maximumFieldSize - 4) + "\r\n"
    #expect(fault(Array(field.utf8)) == nil)
    #expect(fault(Array("A\(field)".utf8)) == .fieldTooLong)
  }

  @Test func `a header may end without a body`() throws {
    #expect(try RawMessage(Array("A: b".utf8)).body.isEmpty)
    #expect(try RawMessage(Array("A: b\n".utf8)).header.fields.count == 1)
  }
}
