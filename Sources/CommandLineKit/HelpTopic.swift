/// A page of help that is about no command: the variables of the environment, say.
package struct HelpTopic: Sendable {
  /// The word that selects it, as in `help environment`.
  package let name: String
  package let summary: String
  /// Made only when they are shown.
  let sections: @Sendable () -> [HelpSection]

  package init(
    _ name: String, _ summary: String, _ sections: @autoclosure @escaping @Sendable () -> [HelpSection]
  ) {
    self.name = name
    self.summary = summary
    self.sections = sections
  }

  func page(width: Int) -> String {
    var page = HelpPage(width: min(max(width, 40), 100))
    page.add(wrapped(summary, width: page.width))
    page.add(sections())
    return page.text
  }
}

/// The topics that a tool explains besides its commands.
package struct HelpTopics: Sendable {
  let listed: @Sendable () -> [HelpTopic]
  /// Finds one that is too small to be listed.
  let other: @Sendable (String) -> HelpTopic?

  package init(
    listed: @escaping @Sendable () -> [HelpTopic] = { [] },
    other: @escaping @Sendable (String) -> HelpTopic? = { _ in nil }
  ) {
    self.listed = listed
    self.other = other
  }
}

/// A heading with its rows.
package struct HelpSection: Sendable {
  package let title: String
  package var rows: [HelpRow]

  package init(_ title: String, _ rows: [HelpRow]) {
    self.title = title
    self.rows = rows
  }
}

/// A name and what it is for.
package struct HelpRow: Sendable {
  package let label: String
  package let text: String

  package init(_ label: String, _ text: String) {
    self.label = label
    self.text = text
  }

  init(_ parameter: ParameterDescription) {
    let label =
      switch parameter.kind {
      case .argument: parameter.repeatable ? "\(parameter.name)..." : parameter.name
      // Long names are aligned, whether or not there is a letter.
      case .option, .flag: (parameter.short.map { "-\($0), " } ?? "    ") + parameter.label
      }
    self.init(label, parameter.fullHelp)
  }
}

extension Command {
  /// The topics of this command, which is the tool itself, without their rows: building those of the common
  /// options takes the parameters of all commands.
  var topicRows: [HelpRow] {
    [HelpRow("help options", HelpTopic.optionsSummary)]
      + topics.listed().map { HelpRow("help \($0.name)", $0.summary) }
  }

  func topic(named word: String) -> HelpTopic? {
    word == "options" ? commonOptions : topics.listed().first { $0.name == word } ?? topics.other(word)
  }

  var commonOptions: HelpTopic {
    HelpTopic(
      "options", HelpTopic.optionsSummary,
      parameterSections(optionsBelow.filter(\.isShared))
        + [HelpSection("Every command", [HelpRow("-h, --help", "Show its help")])])
  }
}

extension HelpTopic {
  fileprivate static var optionsSummary: String { "The options that many commands have" }
}
