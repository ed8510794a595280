import CommandLineKit
import JSON
import Pages
import ReleaseModel

extension HelpTopic {
  /// What `pawl help` explains besides commands: the environment, the exit codes, the pages that the program has, and
  /// every error by its id.
  @Sendable static func pawl(_ name: String?) -> [HelpTopic] {
    let listed = [environment, exitCodes, pages]
    guard let name else { return listed }
    return listed.filter { $0.name == name }
      + (Pages.page(named: name).map { page in
        [HelpTopic(page.name, title(of: page), text: { String(decoding: page.text(), as: UTF8.self) })]
      } ?? []) + (error(name).map { [$0] } ?? [])
  }

  private static var pages: HelpTopic {
    HelpTopic(
      "topics", "The pages about more than one command: pawl help TOPIC",
      [HelpSection("Topics", Pages.all.map { HelpRow($0.name, title(of: $0)) })])
  }

  /// The first heading of a page.
  static func title(of page: Pages.Page) -> String {
    let line = page.text().split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "# ".utf8) }
    return String(decoding: line?.dropFirst(2) ?? [], as: UTF8.self)
  }
}

extension HelpTopic {
  fileprivate static var environment: HelpTopic {
    HelpTopic(
      "environment", "The variables that pawl reads, and those it sets for a command that it runs",
      [
        HelpSection(
          "Environment",
          [
            HelpRow(
              "PAWL_LEDGER", "The ledger's file or ssh URL, unless --ledger names one; default: ./pawl.db"),
            HelpRow("PAWL_ACTOR", "On whose behalf a change is made, unless --actor says it"),
            HelpRow("PAWL_PRINCIPAL", "Whose key it is, unless serve-ssh --principal says it"),
            HelpRow("PAWL_ZONE", "The time zone, unless --zone names one; default: UTC"),
            HelpRow("PAWL_EXPORT", "Where documents go, unless a command or the ledger names a directory"),
            HelpRow("PAWL_REMOTE", "The program that runs on the host of an ssh URL; default: pawl"),
            HelpRow("PAWL_EVIDENCE_QUOTA", "How many MB of unproved evidence are kept; default: 64"),
            HelpRow("PAWL_ASC_KEY", "The file of the App Store Connect key, for ingest asc --fetch"),
            HelpRow("PAWL_ASC_KEY_ID", "That key's id"),
            HelpRow("PAWL_ASC_ISSUER", "That key's issuer"),
            HelpRow("TZDIR", "The folder of time zones; default: the system's"),
            HelpRow(
              "PAWL_PAGER", "What shows long answers on a terminal; default: PAGER, else less; empty: nothing"
            ),
            HelpRow("NO_COLOR", "If set, output has no colours"),
            HelpRow("COLUMNS", "The width of lines, instead of the terminal's"),
            HelpRow("TERM", "If it is dumb, output has no colours"),
            HelpRow("HOME", "Where plan sign looks for a key"),
            HelpRow("SSH_ORIGINAL_COMMAND", "The command that came over ssh, for serve-ssh"),
          ]),
        HelpSection(
          "Set by deliver --secret-file",
          [
            HelpRow("PAWL_WEBHOOK_ID", "The message's id"),
            HelpRow("PAWL_WEBHOOK_TIMESTAMP", "When it is sent"),
            HelpRow("PAWL_WEBHOOK_SIGNATURE", "Its signature, as Standard Webhooks 1.0.0 defines it"),
          ]),
      ])
  }

  fileprivate static var exitCodes: HelpTopic {
    HelpTopic(
      "exit-codes", "The exit codes of all commands",
      [
        HelpSection(
          "Exit codes", ErrorCatalogue.cells.filter { Int($0[0]) != nil }.map { HelpRow($0[0], $0[1]) })
      ])
  }

  /// An error or finding by its id, or nil.
  @Sendable fileprivate static func error(_ id: String) -> HelpTopic? {
    let wordings = ErrorCatalogue.rows.filter { $0.id == id }
    var rows = wordings.prefix(1).map { HelpRow("exit code", $0.status) }
    for row in wordings {
      // Wordings that differ only in what to do share a message.
      if row.message != rows.last(where: { $0.label == "message" })?.text {
        rows.append(HelpRow("message", row.message))
      }
      rows += [HelpRow("do", row.hint), HelpRow("note", row.note)].filter { !$0.text.isEmpty }
    }
    let section = HelpSection("Error", rows)
    return rows.isEmpty ? nil : HelpTopic(id, id, [section])
  }
}

/// The rows of the tables in a page, as plain text; read as bytes, since characters take twenty times as long.
func tableRows(of page: [UInt8]) -> [[String]] {
  page.split(separator: UInt8(ascii: "\n")).compactMap { line in
    guard line.starts(with: "| ".utf8) else { return nil }
    let cells = line.split(separator: UInt8(ascii: "|")).map(plain)
    return cells.count < 2 || cells[1].isEmpty ? nil : cells
  }
}

/// Text without the blanks at its ends and the marks of Markdown: backquotes, and the targets of links.
private func plain(_ cell: ArraySlice<UInt8>) -> String {
  var text: [UInt8] = []
  var isTarget = false
  for byte in cell where byte != UInt8(ascii: "`") && byte != UInt8(ascii: "[") {
    if byte == UInt8(ascii: "]") { isTarget = true } else if !isTarget { text.append(byte) }
    if byte == UInt8(ascii: ")") { isTarget = false }
  }
  return String(decoding: text, as: UTF8.self).trimmed
}
