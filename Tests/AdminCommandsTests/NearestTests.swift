import CommandLineKit
import JSON
import TestSupport
import Testing

@testable import AdminCommands

/// Wrong input is answered with what was most likely meant, or with what to do next.
@Suite struct NearestTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.done("app add van --bundle-id com.example.van")
    let past = ["7.3.0", "7.3.1", "7.4.0", "7.5.0", "8.0.0"].enumerated().map { index, version in
      "\(version),2026-0\(index + 1)-01T00:00:00Z\n"
    }
    try shell.directory.write("version,released_at\n" + past.joined(), to: "past.csv")
    try shell.done("import taxi \(shell.directory.file("past.csv")) --yes")
    try shell.done("remind van below:2 --yes")
  }

  private func hint(_ line: String) -> String? { shell.run(line + " --json").error["hint"]?.string }

  @Test(arguments: [
    ("status texi", "did you mean 'taxi'?"),
    ("status Taxi", "did you mean 'taxi'?"),
    ("status TA_XI", "such as taxi or taxi-enterprise"),
    ("redirect taxi all --to vna", "did you mean 'van'?"),
    ("mark taxi 7.4.1 live", "did you mean 7.4.0? see 'pawl status taxi'"),
    ("amend taxi 7.4.9 --build 3", "did you mean 7.4.0? see 'pawl status taxi'"),
    ("void taxi 73.1 --reason x", "did you mean 7.3.1? see 'pawl status taxi'"),
    ("unmark taxi 80.0 --reason x", "did you mean 8.0.0? see 'pawl status taxi'"),
    ("mark van 1.0 live", "record it with 'pawl publish van 1.0'"),
    ("check taxi v7.3.1", "did you mean '7.3.1'?"),
    ("check taxi vx", "write up to four numbers separated by points, such as 7.4.1"),
    ("mark taxi 7.4.0 aproved", "did you mean 'approved'?"),
    ("app set taxi --live-by mial", "did you mean 'mail'?"),
    ("history --kind release.marked", "did you mean 'release.mark'?"),
    ("completions bahs", "did you mean 'bash'?"),
    ("chekc taxi", "did you mean 'pawl check'?"),
    ("publish taxi 9 --biuld 4", "did you mean '--build'?"),
    ("lift taxi 1", "rule 1 belongs to van: see 'pawl rules van'"),
    ("lift taxi 9", "see 'pawl rules taxi'"),
    ("show 7.4.0", "the order is 'pawl show SEQ|APP VERSION'"),
    ("show taxi", "for a release write 'pawl show taxi VERSION', for an app 'pawl history taxi'"),
    ("show taxi 7.4.9", "did you mean 7.4.0? see 'pawl status taxi'"),
    ("revert 7.4.0", "for a release see 'pawl show APP 7.4.0'"),
    ("inbox show x", "see 'pawl inbox'"),
    ("lift taxi x", "see 'pawl rules'"),
    (
      "publish taxi 9 --note english=x",
      "a language has two or three letters (BCP 47), such as en, de-DE or zh-Hans"
    ),
    // What people and Apple say for a state.
    ("mark taxi 7.4.0 ready-for-sale", "did you mean 'live'?"),
    ("mark taxi 7.4.0 READY_FOR_SALE", "did you mean 'live'?"),
    ("mark taxi 7.4.0 released", "did you mean 'live'?"),
    ("mark taxi 7.4.0 submitted", "did you mean 'waiting'?"),
    ("mark taxi 7.4.0 pending-developer-release", "did you mean 'approved'?"),
    ("mark taxi 7.4.0 developer-rejected", "did you mean 'withdrawn'?"),
    ("mark taxi 7.4.0 zzz", "run 'pawl mark --help'"),
    // The law has the word where a state is one, and can never be reached.
    ("mark taxi 8.0.0 superseded", "a release is superseded when a newer one goes live, never by hand"),
    // What is only spelled like a change is not named.
    ("publsh taxi 9", "run 'pawl help' to see the commands"),
    ("unlift taxi 1", "run 'pawl help' to see the commands"),
    ("inbox void 3", "run 'pawl help inbox' to see the commands"),
    ("histroy taxi", "did you mean 'pawl history'?"),
    ("init --noexport", "did you mean '--no-export'?"),
    ("init --no-json", "run 'pawl init --help'"),
    ("show -1x", "see 'pawl history'"),
    // Words in the wrong order, or with a name that arguments do not take.
    ("check 7.3.1", "the order is 'pawl check APP VERSION'"),
    ("check 7.3.1 taxi", "the order is 'pawl check APP VERSION'"),
    ("mark taxi live 7.4.0", "the order is 'pawl mark APP VERSION STATE'"),
    ("mark taxi alive 7.4.0", "write up to four numbers separated by points, such as 7.4.1"),
    ("import past.csv taxi", "such as taxi or taxi-enterprise"),
    ("mark taxi 7.4.0 --state live", "write STATE without '--state': 'pawl mark APP VERSION STATE'"),
    ("check --app taxi 7.4.0", "write APP without '--app': 'pawl check APP VERSION'"),
  ])
  func `the hint names what was meant`(line: String, expected: String) {
    #expect(hint(line) == expected)
  }

  // MARK: - Words that people say

  /// The commands that a hint names, each as its path.
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

  /// The words that can only mean something that changes a prompt or a record.
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

  @Test func `a file of nearly the name is named, a copy or a journal never`() throws {
    let folder = shell.directory
    let csv = folder.file("past.cvs")
    #expect(hint("import taxi \(csv)") == "did you mean '\(folder.file("past.csv"))'?")
    #expect(hint("import taxi \(folder.file("past"))") == "did you mean '\(folder.file("past.csv"))'?")
    #expect(hint("import taxi \(folder.file("other.txt"))") == nil)
    #expect(hint("status --ledger \(folder.file("pawl.bd"))") == "did you mean '\(folder.file("pawl.db"))'?")
    try folder.write("", to: "other.db-journal")
    try folder.write("", to: "third.db.bak")
    let make = "make one with 'pawl init', or name it with --ledger or PAWL_LEDGER"
    for name in ["other.db", "third.db"] {
      #expect(hint("status --ledger \(folder.file(name))") == make, "\(name)")
    }
    try folder.write("", to: "a\u{1B}[31m.csv")
    #expect(
      hint("import taxi \(folder.file("a[31m.csv"))") == "did you mean '\(folder.file("a\\u{1B}[31m.csv"))'?")
  }
}
