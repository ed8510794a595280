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
    "app delete", "app edit", "app remove", "app rename", "app rm", "approve", "deploy", "edit", "enable",
    "go-live", "new", "reject", "rename", "start", "submit", "unblock", "unredirect", "unset", "unstop",
    "unvoid", "withdraw",
  ]

  @Test func `every word has its answer, which names commands that exist, and first none that does harm`() {
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
        AdminCommands.table.command(at: first)?.asks == true || first == ["help", "trust"]
        || [["stop"], ["undo"]].contains(first)
      #expect(isHarmless, "\(word): \(answer)")
    }
  }

  @Test(arguments: ["pause", "disable", "freeze", "kill", "suspend", "recall", "block", "silence", "hide"])
  func `who wants silence is told of stop alone`(word: String) {
    #expect(said(word + " taxi").map(named) == [["stop"]])
  }

  @Test(arguments: ["rollback", "restore", "cancel", "unpublish", "undelete", "reset"])
  func `who wants something back is told of undo alone, which asks`(word: String) {
    #expect(said(word + " taxi").map { Set(named(in: $0)) } == [["undo"]])
  }

  @Test(arguments: ["lift a rule 3", "redirect a all van", "mark a 1 in review", "amend a 1 --at 2d"])
  func `an option before the command changes no hint`(line: String) throws {
    let shell = try Shell.taxi()
    let error = shell.run("--json \(line)").error
    #expect(error["hint"]?.string?.contains("--help") == false && error == shell.run("\(line) --json").error)
  }

  @Test func `a slip of any word names only what changes nothing`() {
    let names =
      AdminCommands.table.subcommands.map(\.name) + Synonyms.answers.keys.filter { !$0.contains(" ") }
    for name in names {
      let letters = Array(name)
      var slips = letters.indices.map { at in String(letters[..<at] + letters[(at + 1)...]) }
      slips += letters.indices.dropLast().map { at in
        String(letters[..<at] + [letters[at + 1], letters[at]] + letters[(at + 2)...])
      }
      slips += [name + "s", name + "e", "re" + name, "un" + name]
      for slip in slips where !slip.isEmpty && !names.contains(slip) {
        guard let hint = said(slip + " taxi"), AdminCommands.table.command(at: [slip]) == nil else {
          continue
        }
        for command in named(in: hint) where command != ["help"] {
          let known = AdminCommands.table.command(at: command)
          // What stands elsewhere in the tree under this very name is no slip.
          #expect(
            known?.asks == true || known?.hasAction == false || command.last == slip, "\(slip): \(hint)")
        }
      }
    }
  }
}
