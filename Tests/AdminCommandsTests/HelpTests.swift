import CommandLineKit
import Testing

@testable import AdminCommands

extension Command where Context == PawlContext {
  func all(at path: [String] = []) -> [(path: [String], command: Command)] {
    subcommands.flatMap { below in
      let name = path + [below.name]
      return (below.isRunnable ? [(name, below)] : []) + below.all(at: name)
    }
  }
}

@Suite struct HelpTests {
  @Test func `every page says what is required, the exit codes, and where the common options are`() throws {
    let shell = try Shell(makesLedger: false)
    for (path, command) in AdminCommands.table.all() {
      let page = shell.run(["help"] + path).out
      let table = command.parameterDescriptions
      let wanted = [
        ("Exit codes: 0 done", 1), ("--accept-clock", 0),
        (": pawl help options", table.contains { $0.name == "--json" } ? 1 : 0),
        ("Every change also takes --dry-run, --yes", table.contains { $0.name == "--dry-run" } ? 1 : 0),
      ]
      let words = page.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      for (text, count) in wanted { #expect(words.ranges(of: text).count == count, "\(path): \(text)") }
      #expect(page.ranges(of: "(required").count >= table.filter(\.required).count, "\(path)")
    }
  }
}
