/// A page for `man`, in section 1.
package struct ManPage: Sendable, Equatable {
  /// The command with hyphens between its names: "pawl-app-add".
  package let name: String
  package let text: String

  package var fileName: String { name + ".1" }
}

extension Command {
  /// The pages of this command, which is the tool itself, and of all commands below it.
  ///
  /// - Parameter date: The version's date, such as "2026-12-01".
  package func manPages(version: String, date: String) -> [ManPage] {
    let foot = "\(date) \"\(Roff.escaped("\(name) \(version)"))\""
    return manPages(as: CommandName(root: name, path: []), of: self, foot: foot)
  }

  private func manPages(as name: CommandName, of root: Command, foot: String) -> [ManPage] {
    [manPage(as: name, of: root, foot: foot)]
      + subcommands.flatMap { command in
        command.manPages(
          as: CommandName(root: name.root, path: name.path + [command.name]), of: root, foot: foot)
      }
  }

  private func manPage(as name: CommandName, of root: Command, foot: String) -> ManPage {
    let parameters = parameterDescriptions
    var lines = [
      ".\\\" Made from the table of commands; a test holds it against that.",
      ".TH \(Roff.escaped(name.page.uppercased())) 1 \(foot)",
    ]
    lines += Roff.section(
      "Name",
      Roff.folded(
        [Roff.escaped(name.page), "\\-"] + summary.split(separator: " ").map { Roff.escaped(String($0)) }))
    lines += Roff.section("Synopsis", synopsis(as: name, parameters: parameters))
    let about = discussion.isEmpty ? [] : [".PP"] + Roff.paragraphs(discussion)
    lines += Roff.section("Description", Roff.paragraph(summary + ".") + about)
    func add(_ sections: [HelpSection]) {
      for section in sections {
        lines += Roff.section(
          section.title, section.rows.flatMap { Roff.item(ManPage.label($0.label), $0.text) })
      }
    }
    add(parameterSections(parameters.filter { !$0.isShared }))
    for section in commandSections {
      let rows = section.commands.flatMap { command in
        Roff.item(ManPage.reference(name.page + "-" + command.name), command.summary)
      }
      lines += Roff.section(section.title, rows)
    }
    if name.path.isEmpty { add(([commonOptions] + topics.listed()).flatMap { $0.sections() }) }
    let footer = footer(parameters, of: root).map(Roff.paragraph)
    if !footer.isEmpty { lines += Roff.section("Notes", Array(footer.joined(separator: [".PP"]))) }
    if !examples.isEmpty {
      lines += Roff.section(
        "Examples",
        Array(
          examples.map { example in
            Roff.paragraph(example.caption + ":")
              + [".PP", ".RS 4", ".EX", Roff.line(Roff.escaped(example.line)), ".EE", ".RE"]
          }.joined(separator: [".PP"])))
    }
    let others = name.path.isEmpty ? [] : [CommandName(root: name.root, path: name.path.dropLast()).page]
    let tool = name.path.count > 1 ? [name.root] : []
    if !others.isEmpty {
      lines += Roff.section(
        "See also", Roff.folded([(tool + others).map(ManPage.reference).joined(separator: ", ")]))
    }
    return ManPage(name: name.page, text: lines.map { $0 + "\n" }.joined())
  }

  private func synopsis(as name: CommandName, parameters: [ParameterDescription]) -> [String] {
    let ways = usages(as: name, parameters: parameters).map { usage in
      Roff.folded([Roff.bold(usage.start)] + usage.parts.map(ManPage.part))
    }
    return Array(ways.joined(separator: [".br"]))
  }
}

extension ManPage {
  fileprivate static func reference(_ page: String) -> String { Roff.bold(page) + "(1)" }

  fileprivate static func label(_ label: String) -> String {
    let trimmed = label.drop { $0 == " " }
    return trimmed.split(separator: " ").map { part(String($0)) }.joined(separator: " ")
  }

  /// A part of a usage line: an option with its value, an argument, or `[options]`.
  fileprivate static func part(_ part: String) -> String {
    part.split(separator: " ").map { word in
      let core = word.drop { $0 == "[" }.prefix { $0 != "]" }
      let name = core.hasSuffix("...") ? core.dropLast(3) : core.hasSuffix(",") ? core.dropLast() : core
      guard !name.isEmpty, name != "options" else { return Roff.escaped(String(word)) }
      let shown = name.hasPrefix("-") ? Roff.bold(String(name)) : Roff.italic(String(name))
      return Roff.escaped(String(word[..<name.startIndex])) + shown
        + Roff.escaped(String(word[name.endIndex...]))
    }.joined(separator: " ")
  }
}

extension CommandName {
  fileprivate var page: String { ([root] + path).joined(separator: "-") }
}
