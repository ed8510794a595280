import CommandLineKit
import Testing

@Suite struct ReferencePageTests {
  @Test func `the reference has a section for every command`() {
    let page = tool.referenceMarkdown()
    let headings = page.split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(
      headings == [
        "# pawl", "## pawl app", "## pawl app add", "## pawl app list", "## pawl build", "## pawl build list",
        "## pawl build upload", "## pawl check", "## pawl note", "## pawl inbox", "## pawl inbox show",
        "## pawl inbox clear",
      ])
    #expect(page == tool.referenceMarkdown())
    #expect(!page.contains("\n\n\n"))
  }

  @Test func `a section shows usage, parameters and examples`() {
    let page = tool.referenceMarkdown()
    #expect(page.contains("```text\npawl app add SLUG --bundle-id ID [options]\n```\n"))
    #expect(page.contains("| `--platform P` | Where it runs (one of ios, macos, watchos) (repeatable) |\n"))
    #expect(page.contains("| `-f`, `--force` | Do it anyway |\n"))
    #expect(
      page.contains("Add the app 'demo'.\n\n```sh\npawl app add demo --bundle-id com.example.demo\n```\n"))
  }

  @Test func `a bar or an angle bracket cannot break a table`() {
    let tool = Command<World>("t", summary: "T", subcommands: [leaf("x", "Use a|b <now>")])
    #expect(tool.referenceMarkdown().contains("| `x` | Use a\\|b &lt;now> |"))
  }
}
