#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Runs a program found on the path and returns what it writes to standard output.
///
/// - Parameters:
///   - words: The program and its arguments; no shell reads them.
///   - limit: The most bytes taken; more is cut off.
/// - Returns: The output; nil where the program is not there or ends with another status than 0.
package func output(of words: [String], limit: Int) -> [UInt8]? {
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { return nil }
  var actions = posix_spawn_file_actions_t()
  #if canImport(Darwin)
    var optionalActions: posix_spawn_file_actions_t? = actions
    posix_spawn_file_actions_init(&optionalActions)
    posix_spawn_file_actions_adddup2(&optionalActions, ends[1], 1)
    posix_spawn_file_actions_addclose(&optionalActions, ends[0])
  #else
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    defer { posix_spawn_file_actions_destroy(&actions) }
  #endif
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var child: pid_t = 0
  #if canImport(Darwin)
    let code = posix_spawnp(&child, words[0], &optionalActions, nil, &arguments, environ)
  #else
    let code = posix_spawnp(&child, words.first ?? "", &actions, nil, &arguments, environ)
  #endif
  close(ends[1])
  defer { close(ends[0]) }
  guard code == 0 else { return nil }
  var bytes: [UInt8] = []
  while let chunk = try? readChunk(ends[0], path: words.first ?? "") {
    if bytes.count < limit { bytes.append(contentsOf: chunk.prefix(limit - bytes.count)) }
  }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return nil } }
  return status == 0 ? bytes : nil
}
