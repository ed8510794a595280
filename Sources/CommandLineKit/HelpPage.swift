extension Command {
  /// The help page of a command at a path below this one, which is the tool itself.
  ///
  /// The page is plain text in complete lines. The width is kept between 40 and 100 cells; only what is meant
  /// to be copied, such as an example, may be wider.
  func helpPage(of command: Command, at path: [String], width: Int) -> String {
    let name = CommandName(root: self.name, path: path)
    let parameters = command.parameterDescriptions
    var page = HelpPage(width: min(max(width, 40), 100))
    page.addUsage(command.usages(as: name, parameters: parameters))
    page.add(wrapped(command.summary, width: page.width))
    if !command.discussion.isEmpty { page.add(wrapped(command.discussion, width: page.width)) }

    var sections = command.parameterSections(parameters.filter { !$0.isShared })
    let commands = command.commandSections
    sections += commands.map { section in
      HelpSection(section.title, section.commands.map { HelpRow($0.name, $0.summary) })
    }
    if path.isEmpty, !subcommands.isEmpty { sections.append(HelpSection("More help", topicRows)) }
    page.add(sections)
    page.add(command.footer(parameters, of: self).flatMap { wrapped($0, width: page.width) })

    for (index, example) in command.examples.enumerated() {
      let caption = wrapped(example.caption, width: page.width - 6).map { "      " + $0 }
      page.add((index == 0 ? ["Examples:"] : []) + ["  " + example.line] + caption, apart: index == 0)
    }
    if !commands.isEmpty {
      let start = ([self.name, "help"] + path).joined(separator: " ")
      page.add(wrapped("Run '\(start) COMMAND' for the details of a command.", width: page.width))
    }
    return page.text
  }

  /// What a page says of common options and exit codes; each in one line, since other pages have the details.
  func footer(_ parameters: [ParameterDescription], of root: Command) -> [String] {
    var lines: [String] = []
    if parameters.contains(where: \.isShared) {
      lines.append("And the common options: \(root.name) help options")
    }
    if hasAction, root.topics.listed().contains(where: { $0.name == "exit-codes" }) {
      lines.append(
        "Exit codes: 0 done" + (no.map { "; 1 \($0)" } ?? "") + "; others: \(root.name) help exit-codes")
    }
    return lines
  }

  /// Arguments, then options under their headings, in order of appearance.
  func parameterSections(_ parameters: [ParameterDescription]) -> [HelpSection] {
    var sections: [HelpSection] = []
    for parameter in parameters.filter({ $0.kind == .argument }) + parameters.filter({ $0.kind != .argument })
    {
      if let index = sections.firstIndex(where: { $0.title == parameter.section }) {
        sections[index].rows.append(HelpRow(parameter))
      } else {
        sections.append(HelpSection(parameter.section, [HelpRow(parameter)]))
      }
    }
    return sections
  }

  /// The commands below this one under their headings, both in order of appearance.
  var commandSections: [(title: String, commands: [Command])] {
    var sections: [(title: String, commands: [Command])] = []
    for command in subcommands {
      let title = command.section
      if let index = sections.firstIndex(where: { $0.title == title }) {
        sections[index].commands.append(command)
      } else {
        sections.append((title, [command]))
      }
    }
    return sections
  }
}

struct HelpPage {
  let width: Int
  private var lines: [String] = []

  init(width: Int) {
    self.width = width
  }

  var text: String {
    lines.map { $0 + "\n" }.joined()
  }

  mutating func add(_ block: [String], apart: Bool = true) {
    guard !block.isEmpty else { return }
    if apart, !lines.isEmpty { lines.append("") }
    lines += block
  }

  mutating func addUsage(_ usages: [(start: String, parts: [String])]) {
    for (index, usage) in usages.enumerated() {
      let start = (index == 0 ? "Usage: " : "       ") + usage.start
      // Continue under the first part, unless the name is so long that little room is left.
      let indent = min(displayWidth(start) + 1, width / 3)
      let beside = width - displayWidth(start) - 1
      var block = filled(usage.parts, width: width - indent, first: beside)[...]
      if let first = block.first, displayWidth(first) <= beside {
        lines.append(start + " " + first)
        block.removeFirst()
      } else {
        lines.append(start)
        block = filled(usage.parts, width: width - indent)[...]
      }
      lines += block.map { blanks(indent) + $0 }
    }
  }

  mutating func add(_ sections: [HelpSection]) {
    let limit = min(30, width / 2 - 4)
    let labels = sections.flatMap(\.rows).map { displayWidth($0.label) }
    let column = 2 + (labels.filter { $0 <= limit }.max() ?? 0) + 2
    for section in sections {
      var block = [section.title + ":"]
      for row in section.rows {
        var text = wrapped(row.text, width: width - column)[...]
        let start = "  " + row.label
        // A label that reaches into the column of texts gets a line of its own.
        if displayWidth(start) + 2 <= column, let first = text.popFirst() {
          block.append(start + blanks(column - displayWidth(start)) + first)
        } else {
          block.append(start)
        }
        block += text.map { blanks(column) + $0 }
      }
      add(block)
    }
  }
}

extension Command {
  func usages(
    as name: CommandName, parameters: [ParameterDescription]
  ) -> [(start: String, parts: [String])] {
    var lines: [(start: String, parts: [String])] = []
    if hasAction {
      var parts: [String] = []
      for parameter in parameters where parameter.kind == .argument {
        let name = parameter.repeatable ? "\(parameter.name)..." : parameter.name
        parts.append(parameter.required ? name : "[\(name)]")
      }
      let options = parameters.filter { $0.kind != .argument }
      for parameter in options where parameter.required { parts.append(parameter.label) }
      if options.contains(where: { !$0.required }) { parts.append("[options]") }
      lines.append((name.full, parts))
    }
    if usual != nil { lines.append((name.full, [])) }
    if !subcommands.isEmpty { lines.append((name.full, ["COMMAND", "..."])) }
    return lines
  }
}
