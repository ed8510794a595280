/// What a shell offers for a value.
package enum Completion: Sendable, Equatable {
  /// Nothing: the value is free text.
  case none
  /// Names of files.
  case file
  /// Names of directories.
  case directory
  /// The allowed words of the type.
  case values
  /// Whatever the tool's own completion script knows by this name, such as "versions".
  case custom(String)
}
