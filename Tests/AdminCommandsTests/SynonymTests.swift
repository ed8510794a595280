import CommandLineKit
import JSON
import Testing

@testable import AdminCommands

@Suite struct SynonymTests {
  private func named(in hint: String) -> [[String]] {
    hint.split(separator: "'").filter { $0.hasPrefix("pawl ") }.compactMap { line in
      let words = line.split(separator: " ").dropFirst().map(String.init)
      let paths = (1...2).map { Array(words.prefix($0)) }
      return paths.last { $0.count <= words.count && AdminCommands.table.command(at: $0) != nil } ?? words
    }
  }

  private func said(_ line: String) -> String? {
    do throws(UsageError) {
      _ = try AdminCommands.table.parse(line.split(separator: " ").map(String.init))
    } catch { return error.hint }
    return nil
  }

  private static let meant: Set = [
    "add", "app remove", "approve", "create", "deploy", "edit", "new", "promote", "reject", "rename", "ship",
    "start", "submit",
    "unstop",
  ]

  @Test func `every hint names commands that exist, and first one that does no harm`() {
    for (word, answer) in Synonyms.answers {
      let path = word.split(separator: " ").map(String.init)
      #expect(AdminCommands.table.command(at: path) == nil, "\(word) is a command")
      #expect(said(word) == answer && said(word.uppercased()) != nil, "\(word)")
      let commands = named(in: answer)
      for command in commands where command.first != "help" {
        let known = AdminCommands.table.command(at: command)
        #expect(known != nil, "\(word): \(command)")
      }
      guard let first = commands.first, !Self.meant.contains(word) else { continue }
      let isHarmless =
        AdminCommands.table.command(at: first)?.isReadOnly == true || first.first == "help"
        || [["stop"], ["undo"]].contains(first)
      #expect(isHarmless, "\(word): \(answer)")
    }
  }

  @Test(arguments: ["pause", "disable", "block"])
  func `the hint for a word such as pause names only stop`(word: String) {
    #expect(said(word + " taxi").map { named(in: $0).filter { $0.first != "help" } } == [["stop"]])
  }

  @Test(arguments: ["rollback", "cancel"])
  func `the hint for a word such as rollback names only undo`(word: String) {
    #expect(said(word + " taxi").map { Set(named(in: $0)) } == [["undo"]])
  }

  @Test(arguments: [
    ("pubish", "publish"), ("forse", "force"), ("stpo", "stop"), ("liftt", "lift"), ("remnd", "remind"),
    ("app rteire", "app retire"), ("inbox aplly", "inbox apply"),
  ])
  func `the hint for a mistyped command names it, even if that makes changes`(slip: String, verb: String) {
    #expect(said(slip + " taxi") == "did you mean 'pawl \(verb)'?")
  }

  @Test(arguments: ["unforce", "unstop", "unvoid"])
  func `the hint for a command's opposite never names the command`(word: String) {
    #expect(said(word + " taxi")?.contains("did you mean 'pawl \(word.dropFirst(2))'") != true)
  }
}
