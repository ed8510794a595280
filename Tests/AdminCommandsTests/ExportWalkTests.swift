import Platform
import ReleaseModel
import TestSupport
import Testing

/// Documents are those of the ledger as it is, whatever was exported before (contract §8).
@Suite struct ExportWalkTests {
  /// The first walk's seed, `PAWL_SEED` or 0, by which one that failed is gone through again.
  private static let first = environment("PAWL_SEED").flatMap(UInt64.init) ?? 0
  private static let walks = environment("PAWL_ORDERS").flatMap(UInt64.init) ?? 2

  @Test func `after random commands an export directory equals a fresh export`() throws {
    for seed in Self.first..<Self.first + Self.walks {
      var random = Seeded(seed)
      let shell = try Shell.taxi()
      try shell.tell(
        """
        app add van --bundle-id com.example.van --apple-id 7 --hold 0h
        live taxi 1.0 1.1
        live van 5.0
        init --export @own\(Shell.everyFormat)
        """)
      for step in 0..<40 {
        let line = line(&random)
        if line.hasPrefix("sleep") {
          try shell.tell(line)
          shell.run("export")
        } else {
          shell.run(shell.words(line + " --yes"), input: Array(past(&random).utf8))
        }
        guard step % 3 == 2 else { continue }
        let said: Comment = "seed \(seed), step \(step): \(line)"
        try shell.expectSameDocuments(random.oneIn(3) ? "--include-unreleased" : "", said)
        shell.run(shell.words("export @fresh\(step)\(Shell.everyFormat)"))
        try shell.expectSame("own", "fresh\(step)", said)
      }
      try shell.tell("verify")
    }
  }

  private func line(_ random: inout Seeded) -> String {
    let app = random.pick(["taxi", "taxi", "van"], else: "taxi")
    let version = "\(random.below(3)).\(random.below(4)).\(random.below(3))"
    let range = random.pick(["all", "below:1.1", "1.0", "from:2.0", version], else: "all")
    let other = app == "taxi" ? "van" : "taxi"
    let lines = [
      "publish \(app) \(version) --yes --note en=\(random.below(9)) --min-os \(12 + random.below(5))",
      "mark \(app) \(version) in-review", "mark \(app) \(version) live --visible-now",
      "mark \(app) \(version) live", "mark \(app) \(version) removed", "unmark \(app) \(version)",
      "void \(app) \(version) --never-shipped --reason x",
      "amend \(app) \(version) --note de=\(random.below(9)) --mandatory",
      "app set \(app) --name Name\(random.below(9))",
      "app set \(app) --bundle-id com.example.b\(random.below(9))",
      "app set \(app) --apple-id \(100 + random.below(9))", "app set \(app) --policy remind,force",
      "app set \(app) --hold \(random.below(3))d", "app set \(app) --remind-every always",
      "force \(app) \(range) --reason x", "remind \(app) \(range) --until 5h", "allow \(app) \(range)",
      "lift \(app) \(1 + random.below(5))", "stop \(app)", "resume \(app)",
      "redirect \(app) \(range) --to \(other)", "redirect \(app) \(range) --clear",
      "redirect \(app) \(range) --url https://dl.example.com/\(random.below(9))",
      "setting \(app) key v\(random.below(9)) --versions \(range)",
      "setting \(app) key --clear --versions \(range)",
      "trust host dl.example.com", "trust remove host dl.example.com", "undo", "sleep 7h",
    ]
    return random.oneIn(6) ? "import \(app) - --past" : random.pick(lines, else: "undo")
  }

  private func past(_ random: inout Seeded) -> String {
    "version,released_at\n0.\(random.below(9)).\(random.below(3)),2026-0\(1 + random.below(9))-01T00:00:00Z\n"
  }
}
