/// A shell whose command lines can be completed.
package enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}

extension Command {
  /// The word with which a completion script asks the tool; it is not a command, and not mentioned in help.
  package static var completionEntry: String { "--complete" }

  /// The completion script for a shell; this command is the tool itself.
  ///
  /// The scripts only pass words on, and the tool finds the candidates when asked `TOOL --complete INDEX --
  /// WORDS…`, so a script never becomes outdated. Bash splits words at `=` and `:`, which its script joins again, and
  /// drops quotes and backslashes, which no offered word contains. No blank follows a word that ends in `=` or `:`.
  package func completionScript(for shell: CompletionShell) -> String {
    let script =
      switch shell {
      case .bash: PackageResources.bash_completion
      case .zsh: PackageResources.zsh_completion
      case .fish: PackageResources.fish_completion
      }
    return String(decoding: script, as: UTF8.self).replacing("TOOL", with: name)
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
