extension Command {
  /// A Markdown page for this command, which is the tool itself, and all commands below it, with one section
  /// per command.
  ///
  /// The page depends only on the tree: the same commands give the same bytes.
  package func referenceMarkdown() -> String {
    var lines = ["# \(name)", "", sentence(summary)]
    lines += referenceBody(as: CommandName(root: name, path: []))
    lines += referenceSections(root: name, path: [])
    return lines.map { $0 + "\n" }.joined()
  }

  private func referenceSections(root: String, path: [String]) -> [String] {
    subcommands.flatMap { command in
      let name = CommandName(root: root, path: path + [command.name])
      return ["", "## \(name.full)", "", sentence(command.summary)]
        + command.referenceBody(as: name)
        + command.referenceSections(root: root, path: name.path)
    }
  }

  private func referenceBody(as name: CommandName) -> [String] {
    let parameters = parameterDescriptions
    var lines = ["", "```text"]
    lines += usages(as: name, parameters: parameters).map { ([$0.start] + $0.parts).joined(separator: " ") }
    lines.append("```")
    if !discussion.isEmpty { lines += ["", discussion] }
    for section in markdownSections(parameters) { lines += [""] + section }
    for section in commandSections {
      lines += ["", "| \(cell(section.title)) | |", "| --- | --- |"]
      lines += section.commands.map { "| `\($0.name)` | \(cell($0.summary)) |" }
    }
    if !examples.isEmpty { lines += ["", "Examples:"] }
    for example in examples {
      lines += ["", sentence(example.caption), "", "```sh", example.line, "```"]
    }
    return lines
  }

  /// One table per heading; `--help` is left out, because it is the same everywhere.
  private func markdownSections(_ parameters: [ParameterDescription]) -> [[String]] {
    var titles: [String] = []
    let ordered = parameters.filter { $0.kind == .argument } + parameters.filter { $0.kind != .argument }
    for parameter in ordered where !titles.contains(parameter.section) { titles.append(parameter.section) }
    return titles.map { title in
      let rows = ordered.filter { $0.section == title }
      return ["| \(cell(title)) | |", "| --- | --- |"]
        + rows.map { "| \(label($0)) | \(cell($0.fullHelp)) |" }
    }
  }

  private func label(_ parameter: ParameterDescription) -> String {
    switch parameter.kind {
    case .argument: "`\(parameter.name)\(parameter.repeatable ? "..." : "")`"
    case .option, .flag: (parameter.short.map { "`-\($0)`, " } ?? "") + "`\(parameter.label)`"
    }
  }

  private func sentence(_ text: String) -> String {
    guard let last = text.last, !".!?:".contains(last) else { return escaped(text) }
    return escaped(text) + "."
  }

  /// Text for one cell of a table, in which a bar or a line break would end the cell.
  private func cell(_ text: String) -> String {
    var line = ""
    for character in escaped(text) {
      switch character {
      case "|": line += "\\|"
      case "\n": line += " "
      default: line.append(character)
      }
    }
    return line
  }

  /// Text in which angle brackets are not HTML.
  private func escaped(_ text: String) -> String {
    var shown = ""
    for character in text { shown += character == "<" ? "&lt;" : String(character) }
    return shown
  }
}
