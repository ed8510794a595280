#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// What a program that was run came to.
package struct ProgramEnd: Sendable, Equatable {
  /// The status it ended with; 128 and the number of the signal that ended it.
  package let status: Int32
  /// What it wrote to standard output.
  package let output: [UInt8]
}

/// The most bytes that a program can be given on standard input: what a pipe takes in at once, wherever pawl runs.
private let pipeRoom = 1 << 14

/// Runs a program found on the path, gives it a few bytes on standard input, and takes what it writes; its own errors
/// are thrown away.
///
/// Nothing that must stay secret belongs among the words, which everybody on the machine can read; it belongs into the
/// input.
///
/// - Parameters:
///   - words: The program and its arguments; no shell reads them.
///   - limit: The most bytes taken; one that writes more is ended.
/// - Throws: `SystemError` where it cannot be started, `FileTooLarge` beyond the limit.
package func runProgram(_ words: [String], input: [UInt8], limit: Int) throws -> ProgramEnd {
  let name = words.first ?? ""
  guard input.count <= pipeRoom else { throw FileTooLarge(path: "the input of \(name)", limit: pipeRoom) }
  let (toChild, fromChild) = (try Pipe(name), try Pipe(name))
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
  #else
    var actions = posix_spawn_file_actions_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, toChild.end, 0)
  posix_spawn_file_actions_adddup2(&actions, fromChild.start, 1)
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var child: pid_t = 0
  let code = posix_spawnp(&child, name, &actions, nil, &arguments, environ)
  toChild.closeEnd()
  fromChild.closeStart()
  guard code == 0 else { throw SystemError(code: code, operation: "run", path: name) }
  // One that does not read shows in its status.
  try? writeAll(input, to: toChild.start, path: name)
  toChild.closeStart()
  var bytes: [UInt8] = []
  var failure: (any Error)?
  do {
    while let chunk = try readChunk(fromChild.end, path: name) {
      bytes += chunk
      guard bytes.count <= limit else { throw FileTooLarge(path: "the output of \(name)", limit: limit) }
    }
  } catch {
    failure = error
    kill(child, SIGTERM)
  }
  fromChild.closeEnd()
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 {
    guard errno == EINTR else { throw SystemError(code: errno, operation: "wait for", path: name) }
  }
  if let failure { throw failure }
  let signal = status & 0x7F
  return ProgramEnd(status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: bytes)
}

/// A pipe whose ends no other program inherits.
private final class Pipe {
  /// Where is read.
  private(set) var end: Int32
  /// Where is written.
  private(set) var start: Int32

  init(_ name: String) throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(code: errno, operation: "make a pipe for", path: name) }
    (end, start) = (ends[0], ends[1])
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  func closeEnd() {
    if end >= 0 { close(end) }
    end = -1
  }

  func closeStart() {
    if start >= 0 { close(start) }
    start = -1
  }

  deinit {
    closeEnd()
    closeStart()
  }
}
