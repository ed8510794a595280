import Platform
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct SubprocessTests {
  private let large = [UInt8](repeating: 0x61, count: 1 << 20)

  @Test func `a program gets all of its input while it writes`() throws {
    let end = try runProgram(["cat"], input: large, limit: 1 << 20)
    #expect(end.status == 0 && end.output == large)
  }

  @Test func `a program that does not read its input does not block`() throws {
    #expect(try runProgram(["true"], input: large, limit: 10) == ProgramEnd(status: 0, output: []))
    let end = try runProgram(["sh", "-c", "exec <&-; sleep 0.1; echo done; exit 3"], input: large, limit: 10)
    #expect(end == ProgramEnd(status: 3, output: Array("done\n".utf8)))
  }

  @Test func `a program that writes without end is ended`() {
    #expect(throws: FileTooLarge.self) { try runProgram(["yes"], limit: 1 << 16) }
  }

  @Test func `a signal that ends a program gives its status, and a missing program is an error`() throws {
    #expect(try runProgram(["sh", "-c", "kill -9 $$"], limit: 10).status == 137)
    #expect {
      try runProgram(["pawl-that-is-not-there"], limit: 10)
    } throws: { error in
      (error as? SystemError)?.operation == "run" && (error as? SystemError)?.isMissing == true
    }
  }
}
