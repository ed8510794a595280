/// The action of a command with its options type erased.
///
/// Making one costs nothing: the parameters are built by `open`, which is called for the one command that was
/// selected, or for its help.
struct Action<Context>: Sendable {
  /// The parameters of a command, built.
  struct Opened: Sendable {
    let descriptions: [ParameterDescription]

    /// Parses the values and gives the closure that runs the command.
    let bind:
      @Sendable ([Occurrence], Call, CommandName) throws(UsageError) -> @Sendable (Context) throws -> ExitCode
  }

  let open: @Sendable () -> Opened

  init<Options: Sendable>(
    options: @escaping @Sendable () -> Options,
    parameters: @escaping @Sendable () -> [Parameter<Options>],
    run: @escaping @Sendable (Options, Call, Context) throws -> ExitCode
  ) {
    open = {
      let table = parameters()
      return Opened(descriptions: table.map(\.description)) { occurrences, call, name throws(UsageError) in
        var values = options()
        for occurrence in occurrences where table.indices.contains(occurrence.parameter) {
          let parameter = table[occurrence.parameter]
          do {
            try parameter.apply(&values, occurrence.value)
          } catch {
            var error = name.invalid(occurrence.value, for: parameter.description, because: error)
            if isMisplaced(occurrence, among: occurrences, table, options()) {
              error.hint = "the order is '\(name.line(table.map(\.description)))'"
            }
            throw error
          }
        }
        let parsed = values
        return { context in
          do {
            return try run(parsed, call, context)
          } catch var error as UsageError where error.path.isEmpty {
            error.path = call.path
            throw error
          }
        }
      }
    }
  }
}

/// Whether a refused argument is the value of another one, whose own word, if it has one, is the value of this.
///
/// Only types that know their words say so: a text takes anything.
private func isMisplaced<Options>(
  _ refused: Occurrence, among occurrences: [Occurrence], _ table: [Parameter<Options>], _ options: Options
) -> Bool {
  func takes(_ parameter: Int, _ word: String?) -> Bool {
    var scratch = options
    return (try? table[parameter].apply(&scratch, word)) != nil
  }
  guard table[refused.parameter].description.kind == .argument else { return false }
  return table.indices.contains { index in
    let description = table[index].description
    guard index != refused.parameter, description.kind == .argument, description.completion.knowsWords,
      takes(index, refused.value)
    else { return false }
    guard let other = occurrences.first(where: { $0.parameter == index }) else { return true }
    return takes(refused.parameter, other.value)
  }
}

extension Completion {
  /// Whether values of this kind can be told from others.
  fileprivate var knowsWords: Bool {
    switch self {
    case .none, .file, .directory: false
    case .values, .custom: true
    }
  }
}
