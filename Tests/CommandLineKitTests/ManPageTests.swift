import CommandLineKit
import Testing

@Suite struct ManPageTests {
  @Test func `the page has every command with its usage, and what all commands share`() {
    let text = tool.manPage(version: "1.2", date: "2026-12-01")
    for part in [
      ".TH PAWL 1 2026-12-01 \"pawl 1.2\"\n.SH NAME\npawl \\- Keep releases in order\n",
      ".SH PAWL APP ADD\n.nf\nUsage: pawl app add SLUG \\-\\-bundle\\-id ID [options]\n",
      "Usage: pawl note VERSION [FILE...] [options]\n", "Files:\n  ./x\\-y  A file\n.fi\n",
    ] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test func `no text can become a macro or an escape of the man page`() {
    let odd = Command<World>(
      "t", summary: "T", discussion: "'quoted \\fB \"x\" é…\n\n.PP at a start",
      groups: [
        (
          "Commands",
          {
            [
              Command(
                "x", isReadOnly: true, summary: ".so ~ ^ `x`", parameters: { () }, run: { _ in .success })
            ]
          }
        )
      ])
    let text = odd.manPage(version: "1.2", date: "2026-12-01")
    for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      let macros = [".TH ", ".SH ", ".nf", ".fi"]
      #expect(macros.contains { line.hasPrefix($0) }, "\(line)")
    }
    #expect(text.contains("\\(aqquoted \\efB \\(dqx\\(dq \\[u00E9]\\[u2026]\n\\&.PP at a start\n"))
    #expect(text.contains("  x  .so \\(ti \\(ha \\(gax\\(ga\n"))
    #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
  }
}
