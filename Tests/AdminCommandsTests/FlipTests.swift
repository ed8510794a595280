import Platform
import TestSupport
import Testing

/// A ledger in which one byte was flipped: no command may crash, call it its own defect, or write, and where one answers
/// otherwise without an error, `verify` tells.
///
/// PAWL_FLIPS=all flips every byte, and a number that many; otherwise some hundred, evenly spread.
@Suite struct FlipTests {
  private static let commands = ["status --json", "check taxi 1.2 --json --explain", "history --json"]

  private struct Answers: Equatable {
    var statuses: [Int32] = []
    var texts: [String] = []
    var defect: String?
  }

  private static func ask(_ shell: Shell) -> Answers {
    var answers = Answers()
    for command in commands {
      let ran = shell.run(command)
      answers.statuses.append(ran.status)
      // The clean ledger has another path.
      answers.texts.append(ran.out.replacing((try? resolvedPath(shell.ledger)) ?? shell.ledger, with: ""))
      if ran.status == 70 { answers.defect = ran.err }
    }
    return answers
  }

  private static func image() throws -> [UInt8] {
    let shell = try Shell.taxi()
    try shell.done("app add van --bundle-id com.example.van --channel enterprise")
    for number in 0..<9 {
      try shell.tell(
        """
        publish taxi 1.\(number) --yes --build \(number + 1) --note en=Notes --min-os 16.0 --actor bot
        mark taxi 1.\(number) in-review
        mark taxi 1.\(number) approved
        mark taxi 1.\(number) live --visible-now --yes
        sleep 1h
        """)
    }
    for number in 0..<8 {
      shell.run("remind taxi upto:1.\(number) --reason \"number \(number)\" --yes")
      try shell.done("setting taxi key\(number) value\(number) --versions upto:1.\(number)")
    }
    while let head = shell.head(), head < 60 { try shell.done("trust host h\(head).example.com") }
    #expect(shell.head() == 60)
    return try shell.bytes("pawl.db")
  }

  @Test(.timeLimit(.minutes(30))) func `a flipped byte causes no crash and no write`() async throws {
    let image = try FlipTests.image()
    let wanted = Platform.environment("PAWL_FLIPS")
    let step = wanted == "all" ? 1 : max(1, image.count / (wanted.flatMap { Int($0) } ?? 300))
    let clean = FlipTests.ask(try Shell(image: image, clock: later(100_000)))
    #expect(clean.statuses == [0, 0, 0])
    let parts = 2
    let changed = try await withThrowingTaskGroup(of: Int.self) { group in
      for part in 0..<parts {
        group.addTask {
          var changed = 0
          let shell = try Shell(image: image, clock: later(100_000))
          var mutant = image
          for offset in stride(from: part * step, to: image.count, by: step * parts) {
            mutant[offset] ^= 0xFF
            try shell.directory.write(mutant[offset], at: offset, of: "pawl.db")
            let answers = FlipTests.ask(shell)
            #expect(answers.defect == nil, "byte \(offset)")
            #expect(try shell.bytes("pawl.db") == mutant, "byte \(offset) was written")
            if answers.statuses == [0, 0, 0], answers != clean {
              changed += 1
              #expect(
                shell.run("verify").status != 0, "byte \(offset) changed an answer, and verify is content")
            }
            mutant[offset] = image[offset]
            try shell.directory.write(image[offset], at: offset, of: "pawl.db")
          }
          return changed
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(changed < image.count / step, "every flip changed the answers")
    if wanted != nil {
      print(
        "measured: \(image.count / step) bytes flipped; \(changed) gave other answers without an error, all told by verify"
      )
    }
  }
}
