import CommandLineKit
import JSON

private struct CompletionsOptions: Sendable {
  var common = CommonOptions()
  var shell = CompletionShell.bash
}

extension Command where Context == PawlContext {
  /// Prints the script by which a shell completes pawl's words.
  static var completions: Command {
    Command(
      "completions", summary: "Print the script that makes a shell complete pawl's words",
      discussion: """
        The script asks pawl itself, which reads the ledger of the line being written and never changes it: apps, \
        their versions, rules and the like are offered as they are at that moment.
        """,
      examples: [
        .init("source <(pawl completions bash)", "in ~/.bashrc"),
        .init("source <(pawl completions zsh)", "in ~/.zshrc, after compinit"),
        .init("pawl completions fish > ~/.config/fish/completions/pawl.fish", "once"),
      ],
      section: "Care", options: { CompletionsOptions() },
      parameters: {
        [.argument("SHELL", .oneOf, help: "The shell") { $0.shell = $1 }]
          + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let script = AdminCommands.table.completionScript(for: options.shell)
      guard options.common.isJSON else {
        try context.print(script)
        return .success
      }
      let json: JSON = ["shell": .string(options.shell.rawValue), "script": .string(script)]
      try context.print(json.text() + "\n")
      return .success
    }
  }
}
