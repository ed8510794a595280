extension Command {
  /// The page of this command, which is the tool itself, for `man` in section 1: its commands, and what they share.
  ///
  /// The macros are those of man(7), which both groff and mandoc know.
  ///
  /// - Parameter date: The version's date, such as "2026-12-01".
  package func manPage(version: String, date: String) -> String {
    var lines = [
      ".TH \(name.uppercased()) 1 \(date) \"\(name) \(version)\"", ".SH NAME", "\(name) \\- \(summary)",
      ".SH SYNOPSIS", ".B \(name)", ".I COMMAND", "[options]", ".SH DESCRIPTION",
    ]
    lines += manText(discussion)
    func add(_ title: String, _ rows: [HelpRow]) {
      lines.append(".SH \(title.uppercased())")
      for row in rows { lines += [".TP"] + manText(row.label, ".B ") + manText(row.text) }
    }
    for section in commandSections {
      add(
        section.title,
        section.commands.flatMap { command in
          command.leaves(under: [command.name]).map { path, leaf in
            let usage = leaf.usages(
              as: CommandName(root: name, path: path), parameters: leaf.parameterDescriptions)
            return HelpRow(
              usage.map { ([$0.start] + $0.parts).joined(separator: " ") }.first ?? name, leaf.summary)
          }
        })
    }
    for section in ([commonOptions] + topics.listed()).flatMap({ $0.sections() }) {
      add(section.title, section.rows)
    }
    lines +=
      [".SH SEE ALSO"]
      + manText("'\(name) help COMMAND' has the arguments, options and examples of a command.")
    return lines.map { $0 + "\n" }.joined()
  }

  private func leaves(under path: [String]) -> [([String], Command)] {
    (hasAction ? [(path, self)] : []) + subcommands.flatMap { $0.leaves(under: path + [$0.name]) }
  }
}

/// Text in which nothing is markup, in lines of the length that mandoc's lint recommends.
///
/// Quotes, carets and dashes would be shown as typographic characters, which cannot be copied into a shell. Characters
/// outside ASCII are written by number, so that no locale can garble them.
private func manText(_ text: String, _ macro: String = "") -> [String] {
  let escapes: [Unicode.Scalar: String] = [
    "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\"": "\\(dq",
  ]
  let words = text.split { $0 == " " || $0 == "\n" }.map { word in
    word.unicodeScalars.map { scalar in
      let number = String(scalar.value, radix: 16, uppercase: true)
      return escapes[scalar]
        ?? (scalar.isASCII
          ? String(scalar) : "\\[u" + String(repeating: "0", count: max(0, 4 - number.count)) + number + "]")
    }.joined()
  }
  if !macro.isEmpty { return [macro + words.joined(separator: " ")] }
  // A line that started with a full stop would be a macro.
  return filled(words, width: 78).map { $0.hasPrefix(".") ? "\\&" + $0 : $0 }
}
