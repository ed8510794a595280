import CommandLineKit
import JSON
import Pages

extension AdminCommands {
  /// What `pawl help --json` prints: all commands with what they take, the exit codes and the topics, for programs; of a
  /// command or group, those commands only.
  static func helpJSON(below path: ArraySlice<String> = []) -> JSON {
    let codes = ErrorCatalogue.cells.filter { Int($0[0]) != nil }.map { row -> JSON in
      ["code": .integer(Int64(row[0]) ?? 0), "means": .string(row[1])]
    }
    let topics = Pages.all.map { page -> JSON in
      ["file": .string(page.file), "name": .string(page.name), "title": .string(HelpTopic.title(of: page))]
    }
    return [
      "commands": .array(
        table.leaves.filter { $0.path.starts(with: path) }.map { described($0.command, at: $0.path) }),
      "exitCodes": .array(codes),
      "topics": .array(topics), "version": .string(version),
    ]
  }

  private static func described(_ command: Command<Context>, at path: [String]) -> JSON {
    [
      "name": .string(path.joined(separator: " ")), "summary": .string(command.summary),
      "discussion": .string(command.discussion), "changes": .bool(!command.isReadOnly),
      "remote": .bool(command.reach == .remote),
      "parameters": .array(command.parameterDescriptions.map(described)),
      "examples": .array(
        command.examples.map { ["command": .string($0.label), "does": .string($0.text)] }),
    ]
  }

  private static func described(_ parameter: ParameterDescription) -> JSON {
    [
      "name": .string(parameter.name), "kind": .string("\(parameter.kind)"), "help": .string(parameter.help),
      "short": .optional(parameter.short.map { "-\($0)" }), "value": .optional(parameter.valueName),
      "values": parameter.allowed.json, "required": .bool(parameter.required),
      "repeatable": .bool(parameter.repeatable),
    ]
  }
}
