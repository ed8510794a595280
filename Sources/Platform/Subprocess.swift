#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// Runs a program found on the path on some input, with this process's errors, and returns what it writes to standard
/// output.
///
/// - Parameters:
///   - words: The program and its arguments; no shell reads them.
///   - input: What it reads from standard input.
/// - Returns: The output, up to 1 MiB of it; nil where the program is not there or ends with another status than 0.
/// - Throws: `SystemError` where there is no room for the input.
package func output(of words: [String], input: [UInt8]) throws(SystemError) -> [UInt8]? {
  // A file without a name: however much it is, nobody has to read while another writes.
  var template = Array(((environment("TMPDIR") ?? "/tmp") + "/pawl.XXXXXX").utf8CString)
  let descriptor = template.withUnsafeMutableBufferPointer { buffer in
    buffer.baseAddress.map { mkstemp($0) } ?? -1
  }
  let path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  guard descriptor >= 0 else { throw SystemError(code: errno, operation: "create", path: path) }
  defer { close(descriptor) }
  unlink(path)
  try writeAll(input, to: descriptor, path: path)
  guard lseek(descriptor, 0, SEEK_SET) == 0 else {
    throw SystemError(code: errno, operation: "read", path: path)
  }
  return output(of: words, limit: 1 << 20, reading: descriptor)
}

/// Runs a program found on the path and returns what it writes to standard output.
///
/// - Parameters:
///   - words: The program and its arguments; no shell reads them.
///   - limit: The most bytes taken; more is cut off.
/// - Returns: The output; nil where the program is not there or ends with another status than 0.
package func output(of words: [String], limit: Int) -> [UInt8]? {
  output(of: words, limit: limit, reading: nil)
}

private func output(of words: [String], limit: Int, reading input: Int32?) -> [UInt8]? {
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { return nil }
  // A pointer on Darwin, nil until it is made.
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
  #else
    var actions = posix_spawn_file_actions_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
  posix_spawn_file_actions_addclose(&actions, ends[0])
  if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
  var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var child: pid_t = 0
  let code = posix_spawnp(&child, words.first ?? "", &actions, nil, &arguments, environ)
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
