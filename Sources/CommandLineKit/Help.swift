/// A page of help that is about no command: the variables of the environment, say.
package struct HelpTopic: Sendable {
  /// The word that selects it, as in `help environment`.
  package let name: String
  package let summary: String
  /// Its page for a width; made only when it is shown.
  let page: @Sendable (_ width: Int) -> String

  package init(
    _ name: String, _ summary: String, _ sections: @autoclosure @escaping @Sendable () -> [HelpSection]
  ) {
    (self.name, self.summary) = (name, summary)
    page = { width in
      var page = HelpPage(width: width)
      page.add(filled(summary, width: page.width))
      page.add(sections())
      return page.text
    }
  }

  /// A page that is shown as it is written.
  package init(_ name: String, _ summary: String, text: @escaping @Sendable () -> String) {
    (self.name, self.summary) = (name, summary)
    page = { _ in text() }
  }
}

/// A heading with its rows.
package struct HelpSection: Sendable {
  package let title: String
  package var rows: [HelpRow]

  package init(_ title: String, _ rows: [HelpRow]) { (self.title, self.rows) = (title, rows) }
}

/// A name and what it is for.
package struct HelpRow: Sendable {
  package let label: String
  package let text: String

  package init(_ label: String, _ text: String) { (self.label, self.text) = (label, text) }

  /// A parameter, with the allowed words, and whether it is required or an option is repeatable.
  init(_ parameter: ParameterDescription) {
    var text = parameter.help
    if !parameter.allowed.isEmpty { text += " (one of \(parameter.allowed.joined(separator: ", ")))" }
    if parameter.required {
      let others = parameter.replacedBy.joined(separator: " or ")
      text += others.isEmpty ? " (required)" : " (required without \(others))"
    }
    if parameter.kind == .option && parameter.repeatable { text += " (repeatable)" }
    // Long names are aligned, whether or not there is a letter.
    self.init(
      parameter.kind == .argument
        ? parameter.usage : (parameter.short.map { "-\($0), " } ?? "    ") + parameter.label, text)
  }
}

extension ParameterDescription {
  /// As the usage of its command names it: `FILE...`, `--reason TEXT`.
  fileprivate var usage: String { kind == .argument && repeatable ? "\(name)..." : label }
}

/// Plain text in complete lines of 40 to 100 cells; only what is meant to be copied, such as an example, may be wider.
private struct HelpPage {
  let width: Int
  private var lines: [String] = []

  init(width: Int) {
    self.width = min(max(width, 40), 100)
  }

  var text: String { lines.map { $0 + "\n" }.joined() }

  mutating func add(_ block: [String], apart: Bool = true) {
    guard !block.isEmpty else { return }
    if apart, !lines.isEmpty { lines.append("") }
    lines += block
  }

  mutating func add(_ sections: [HelpSection]) {
    for section in sections {
      let table = Table(rows: section.rows.map { [Cell("  " + $0.label), Cell($0.text)] })
      add([section.title + ":"] + table.render(width: width).split(separator: "\n").map(String.init))
    }
  }
}

extension Command {
  /// The help page of a command at a path below this one, which is the tool itself.
  func helpPage(of command: Command, at path: [String], width: Int) -> String {
    let parameters = command.parameterDescriptions
    var page = HelpPage(width: width)
    for (index, usage) in command.usages(parameters).enumerated() {
      // Lines continue under the first part, unless the name is so long that little room is left.
      let start = (index == 0 ? "Usage: " : "       ") + ([name] + path).joined(separator: " ")
      let parts = ([start] + usage).map { Cell(String($0.map { $0 == " " ? "\u{A0}" : $0 })) }
      page.add(
        filled(parts, width: page.width, indent: min(displayWidth(start) + 1, page.width / 3)), apart: false)
    }
    page.add(filled(command.summary, width: page.width))
    if !command.discussion.isEmpty { page.add(filled(command.discussion, width: page.width)) }

    var sections = parameterSections(parameters.filter { !$0.isShared })
    sections += command.groups.map { heading, commands in
      HelpSection(heading, commands().map { HelpRow($0.name, $0.summary) })
    }
    if path.isEmpty, hasSubcommands {
      // Without their rows: building those of the common options takes the parameters of all commands.
      sections.append(
        HelpSection(
          "More help",
          [HelpRow("help options", optionsSummary)]
            + topics(nil).map { HelpRow("help \($0.name)", $0.summary) }))
    }
    page.add(sections)
    page.add(command.footer(parameters, of: self).flatMap { filled($0, width: page.width) })

    for (index, example) in command.examples.enumerated() {
      let caption = filled(example.text, width: page.width - 6).map { "      " + $0 }
      page.add((index == 0 ? ["Examples:"] : []) + ["  " + example.label] + caption, apart: index == 0)
    }
    if command.hasSubcommands {
      let start = ([self.name, "help"] + path).joined(separator: " ")
      page.add(filled("Run '\(start) COMMAND' for the details of a command.", width: page.width))
    }
    return page.text
  }

  /// What the tool prints without a word: its most used commands, and a line for each other heading.
  func briefPage(width: Int) -> String {
    var page = HelpPage(width: width)
    page.add(["Usage: \(name) COMMAND ..."])
    page.add(filled(summary, width: page.width))
    let sections = groups.map { heading, commands in (heading, commands()) }
    page.add(
      sections.prefix(1).map { HelpSection($0.0, $0.1.map { HelpRow($0.name, $0.summary) }) }
        + [
          HelpSection(
            "More", sections.dropFirst().map { HelpRow($0.0, $0.1.map(\.name).joined(separator: " ")) })
        ])
    page.add(
      filled(
        "'\(name) help' lists them with what they do, '\(name) help COMMAND' explains one.", width: page.width
      ))
    return page.text
  }

  /// The forms in which it is called, each as what follows its name; a part is never broken.
  private func usages(_ parameters: [ParameterDescription]) -> [[String]] {
    var usages: [[String]] = []
    if isRunnable {
      let arguments = parameters.filter { $0.kind == .argument }
      let options = parameters.filter { $0.kind != .argument }
      usages.append(
        arguments.map { $0.required ? $0.usage : "[\($0.usage)]" }
          + options.filter(\.required).map(\.label)
          + (options.contains { !$0.required } ? ["[options]"] : []))
    }
    if usual != nil, !isRunnable { usages.append([]) }
    return usages + (hasSubcommands ? [["COMMAND", "..."]] : [])
  }

  /// What a page says of common options and exit codes; each in one line, since other pages have the details.
  private func footer(_ parameters: [ParameterDescription], of root: Command) -> [String] {
    var lines: [String] = []
    if parameters.contains(where: \.isShared) {
      let safe = ["--dry-run", "--yes", "--plan", "--json"].filter { name in
        parameters.contains { $0.name == name && $0.isShared }
      }
      lines.append(
        (safe.count > 1
          ? "Every change also takes \(safe.joined(separator: ", ")) and more" : "And the common options")
          + ": \(root.name) help options")
    }
    if isRunnable, root.topics(nil).contains(where: { $0.name == "exit-codes" }) {
      lines.append(
        "Exit codes: 0 done" + (no.map { "; 1 \($0)" } ?? "") + "; others: \(root.name) help exit-codes")
    }
    return lines
  }

  /// Arguments, then options under their headings, in order of appearance.
  private func parameterSections(_ parameters: [ParameterDescription]) -> [HelpSection] {
    let ordered = parameters.filter { $0.kind == .argument } + parameters.filter { $0.kind != .argument }
    return grouped(ordered, by: \.section).map { HelpSection($0.title, $0.members.map { HelpRow($0) }) }
  }

  func topic(named word: String) -> HelpTopic? {
    word == "options" ? commonOptions : topics(word).first
  }

  private var optionsSummary: String { "The options that many commands have" }

  private var commonOptions: HelpTopic {
    HelpTopic(
      "options", optionsSummary,
      parameterSections(optionsBelow.filter(\.isShared))
        + [HelpSection("Every command", [HelpRow("-h, --help", "Show its help")])])
  }
}

private func grouped<Member>(
  _ members: [Member], by title: (Member) -> String
) -> [(title: String, members: [Member])] {
  var titles: [String] = []
  for member in members where !titles.contains(title(member)) { titles.append(title(member)) }
  return titles.map { name in (name, members.filter { title($0) == name }) }
}

extension Command {
  /// The page of this command, which is the tool itself, for `man` in section 1: the help pages of all commands.
  ///
  /// The macros are those of man(7), which both groff and mandoc know.
  ///
  /// - Parameter date: The version's date, such as "2026-12-01".
  package func manPage(version: String, date: String) -> String {
    let pages = [([], self)] + leaves
    let width = 72
    var sections = pages.map { path, command in
      (([name] + path).joined(separator: " "), helpPage(of: command, at: path, width: width))
    }
    sections += ([commonOptions] + topics(nil)).map { ($0.name, $0.page(width)) }
    var lines = [".TH \(name.uppercased()) 1 \(date) \"\(name) \(version)\"", ".SH NAME"]
    lines.append("\(name) \\- \(summary)")
    for (title, text) in sections {
      // Between `.nf` and `.fi` lines stay as they are.
      lines += [".SH \(title.uppercased())", ".nf"] + text.split(separator: "\n").map(manText) + [".fi"]
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

/// A line in which nothing is markup.
///
/// Quotes, carets and dashes would be shown as typographic characters, which cannot be copied into a shell. Characters
/// outside ASCII are written by number, so that no locale can garble them.
private func manText(_ line: Substring) -> String {
  let escapes: [Unicode.Scalar: String] = [
    "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\"": "\\(dq",
  ]
  let text = line.unicodeScalars.map { scalar in
    let hex = String(scalar.value, radix: 16, uppercase: true)
    let number = "\\[u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex + "]"
    return escapes[scalar] ?? (scalar.isASCII ? String(scalar) : number)
  }
  // A line that started with a full stop would be a macro.
  return (line.hasPrefix(".") ? "\\&" : "") + text.joined()
}
