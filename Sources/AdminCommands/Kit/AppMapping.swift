import JSON

/// Reports that the app to be added already exists, and which options differ.
///
/// - Parameter differs: The options that differ, and the commands (`stop`, `retire`) for switches that
///   differ.
func report(existing slug: String, differs: [String]) -> CommandFailure {
  let options = differs.filter { $0.hasPrefix("--") }
  let isRetired = differs.contains("retire")
  let state = isRetired ? "retired" : differs.contains("stop") ? "stopped" : nil
  let isFixed = options.allSatisfy { ["--platform", "--channel"].contains($0) }
  let hint =
    if isRetired {
      "to use it again, undo the event that retired it ('pawl history \(slug) --kind app.retire'); "
        + "else choose another slug"
    } else if options.isEmpty {
      "'pawl resume \(slug)' lets it prompt again"
    } else if isFixed {
      "platform and channel never change; choose another slug"
    } else {
      "change it with 'pawl app set \(slug)'; platform and channel never change"
    }
  let how = [
    options.isEmpty ? nil : "with a different \(options.joined(separator: ", "))", state.map { "as \($0)" },
  ].compactMap(\.self).joined(separator: ", and ")
  return CommandFailure(
    "app.exists",
    "cannot add \(quoted(slug)): it is already recorded \(how)",
    hint: hint, details: ["app": .string(slug), "differs": .array(options.map(JSON.string))])
}
