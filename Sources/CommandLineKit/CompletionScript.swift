/// A shell whose command lines can be completed.
package enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}

extension Command {
  /// The word with which a completion script asks the tool; it is not a command, and not mentioned in help.
  package static var completionEntry: String { "--complete" }

  /// The completion script for a shell; this command is the tool itself.
  ///
  /// They only pass words on: the tool answers `TOOL --complete INDEX -- WORDS…`. Bash splits words at `=` and `:`, which
  /// its script joins again, and drops quotes and backslashes, which no offered word contains.
  package func completionScript(for shell: CompletionShell) -> String {
    let script =
      switch shell {
      case .bash: PackageResources.bash_completion
      case .zsh: PackageResources.zsh_completion
      case .fish: PackageResources.fish_completion
      }
    // A character stands for the name: a search for a word would link the library of regular expressions, a megabyte.
    return String(decoding: script, as: UTF8.self).split(separator: "§", omittingEmptySubsequences: false)
      .joined(separator: name)
  }

  /// - Parameter request: The words after `completionEntry`; a malformed request gets no offers.
  package func completionAnswer(
    to request: ArraySlice<String>, live: (CompletionQuestion) -> [Candidate]
  ) -> String {
    guard let index = request.first.flatMap({ Int($0) }), request.dropFirst().first == "--" else {
      return Offers.words([]).text
    }
    return offers(for: Array(request.dropFirst(2)), at: index, live: live).text
  }
}
