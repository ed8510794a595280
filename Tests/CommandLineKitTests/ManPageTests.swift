import CommandLineKit
import Testing

@Suite struct ManPageTests {
  private func pages(_ command: Command<World> = tool) -> [ManPage] {
    command.manPages(version: "1.2", date: "2026-12-01")
  }

  private func page(_ name: String) throws -> String {
    try #require(pages().first { $0.name == name }).text
  }

  @Test func `there is a page for every command`() {
    #expect(
      pages().map(\.fileName) == [
        "pawl.1", "pawl-app.1", "pawl-app-add.1", "pawl-app-list.1", "pawl-build.1", "pawl-build-list.1",
        "pawl-build-upload.1", "pawl-check.1", "pawl-note.1", "pawl-inbox.1", "pawl-inbox-show.1",
        "pawl-inbox-clear.1",
      ])
    #expect(pages() == pages())
  }

  @Test func `a page says what the help says`() throws {
    let text = try page("pawl-app-add")
    for part in [
      ".TH PAWL\\-APP\\-ADD 1 2026-12-01 \"pawl 1.2\"\n", ".SH NAME\npawl\\-app\\-add \\- Add an app\n",
      ".SH SYNOPSIS\n\\fBpawl app add\\fR \\fISLUG\\fR \\fB\\-\\-bundle\\-id\\fR \\fIID\\fR [options]\n",
      ".EX\n  kept   as it is\n.EE\n",
      ".SH ARGUMENTS\n.TP\n\\fISLUG\\fR\nThe name to know it by (required)\n",
      ".TP\n\\fB\\-f\\fR, \\fB\\-\\-force\\fR\nDo it anyway\n",
      ".SH NOTES\nAnd the common options: pawl help options\n",
      ".SH EXAMPLES\nAdd the app \\(aqdemo\\(aq:\n",
      "pawl app add demo \\-\\-bundle\\-id com.example.demo\n.EE\n",
      ".SH SEE ALSO\n\\fBpawl\\fR(1), \\fBpawl\\-app\\fR(1)\n",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(try page("pawl-note").contains("\\fIVERSION\\fR [\\fIFILE\\fR...] [options]\n"))
    #expect(try page("pawl-app").contains(".SH COMMANDS\n.TP\n\\fBpawl\\-app\\-add\\fR(1)\nAdd an app\n"))
  }

  @Test func `the tool's own page has the tool's own sections, and no other page has`() {
    for page in pages() {
      #expect(page.text.contains(".SH FILES\n.TP\n\\fI./x\\-y\\fR\nA file\n") == (page.name == "pawl"))
    }
  }

  @Test func `nothing that is said can become a macro or an escape`() throws {
    let odd = Command<World>(
      "t", summary: "T",
      subcommands: [
        Command(
          "x", summary: ".so /etc/passwd", discussion: "'quoted \\fB \"x\" é…\n\n  .kept\n\n.PP at a start",
          examples: [.init(".profile ~ ^ `x`", ".dotted")], parameters: { () }, run: { _ in .success })
      ])
    let text = try #require(pages(odd).last).text
    for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      let macros = [".\\\"", ".TH ", ".SH ", ".PP", ".TP", ".EX", ".EE", ".RS 4", ".RE"]
      #expect(macros.contains { line.hasPrefix($0) } && line != ".PP at a start", "\(line)")
    }
    #expect(text.contains("\\(aqquoted \\efB \\(dqx\\(dq \\[u00E9]\\[u2026]\n"))
    #expect(text.contains("\\&.profile \\(ti \\(ha \\(gax\\(ga\n"))
    #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
  }
}
