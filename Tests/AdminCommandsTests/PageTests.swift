import AdminCommands
import CommandLineKit
import Platform
import Testing

/// The pages of docs/commands and Tests/transcripts: each transcript is run and compared to the letter; UPDATE_GOLDEN=1
/// writes them anew.
///
/// They run in a few processes of their own, since a terminal changes into a folder of its own.
@Suite struct PageTests {
  private static let shares = 4

  @Test(arguments: 0..<PageTests.shares)
  func `pawl prints what a page shows`(share: Int) async {
    await #expect(processExitsWith: .success) { [share = share as Int] in
      for (number, path) in try Page.paths().enumerated() where number % PageTests.shares == share {
        try PageTests.check(path)
      }
    }
  }

  private static func check(_ path: String) throws {
    let page = try Page(path)
    let lines = try page.run()
    if environment("UPDATE_GOLDEN") == "1", lines != page.lines {
      try publishFile(
        Array(lines.joined(separator: "\n").utf8), as: "\(repository)/\(path)", rights: 0o644, replaces: true)
    } else {
      let difference = lines.difference(from: page.lines).map { change in
        switch change {
        case .insert(let line, let text, _): "\(line + 1): + \(text)"
        case .remove(let line, let text, _): "\(line + 1): - \(text)"
        }
      }
      #expect(difference.isEmpty, "\(path) differs:\n\(difference.joined(separator: "\n"))")
    }
    if path.hasPrefix(Page.folder) { #expect(lines.count <= 151, "\(path): a page shows at most 150 lines") }
  }

  @Test func `tables fit every width unless a single word does not, and never cut a time`() async {
    await #expect(processExitsWith: .success) {
      let terminal = try Terminal(scene: "board")
      let commands = [
        "releases taxi", "history", "app list", "show 9", "rules", "due", "doctor", "show taxi --blame",
        "status",
      ]
      for (command, least) in commands.map({ ($0, 60) }) + [("status", 36)] {
        let words = Set(
          try terminal.run("pawl \(command) | cat", typing: []).flatMap { $0.split(separator: " ") })
        for width in command == "status" ? Array(least...130) : [60, 80, 120] {
          _ = try terminal.run("stty cols \(width)", typing: [])
          for line in try terminal.run("pawl \(command)", typing: []) where line.contains(" ") {
            #expect(
              displayWidth(line) <= width || !line.drop { $0 == " " }.contains(" "),
              "\(command), \(width): \(line)")
            #expect(
              !line.split(separator: " ").contains {
                $0.hasPrefix("2026-1") && !words.contains($0) && $0.count < 10
              }, "\(line)")
          }
        }
      }
    }
  }
}
