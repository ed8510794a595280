extension Command {
  /// The ways to write this command, each cut into parts that must not break.
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
    if !subcommands.isEmpty { lines.append((name.full, ["COMMAND", "..."])) }
    return lines
  }
}
