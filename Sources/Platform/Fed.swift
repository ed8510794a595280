#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// What a program is given that is started for one message.
package struct ProgramFeed: Sendable {
  /// What it reads on standard input.
  package let input: [UInt8]
  /// The name that the input has in the directory until the program has it; nobody else uses it meanwhile.
  package let file: String
  /// Variables in addition to this process's own.
  package let environment: [(name: String, value: String)]

  package init(input: [UInt8], file: String, environment: [(name: String, value: String)]) {
    self.input = input
    self.file = file
    self.environment = environment
  }
}

extension Directory {
  /// Runs a program found on the path with some input, and waits for its end; what it writes goes to standard error.
  ///
  /// The input is a file without a name, since a pipe to a program that does not read would fill up, or break.
  ///
  /// - Parameter words: The program and its arguments; no shell reads them.
  /// - Returns: As `runAttached`.
  /// - Throws: `SystemError` where it cannot be started.
  package func run(_ words: [String], _ feed: ProgramFeed) throws -> Int32 {
    let name = feed.file
    // One that was killed may have left it.
    try remove(name)
    try create(name, rights: 0o600).write(feed.input)
    let input = try open(name, O_RDONLY)
    try remove(name)
    guard let input else { throw SystemError(code: ENOENT, operation: "open", path: try path(of: name)) }
    defer { close(input) }
    return try runChild(words, input: input, environment: feed.environment)
  }
}
