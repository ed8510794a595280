/// What a list of words asks for.
package enum Outcome<Context>: Sendable {
  /// The help page of a command, made of whole lines.
  case help(path: [String], text: String)
  /// A command to run.
  case run(Invocation<Context>)
}
