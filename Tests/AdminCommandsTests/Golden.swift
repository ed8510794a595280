internal import Platform
internal import Testing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Whether a text is that of a file of `Golden`, which UPDATE_GOLDEN=1 writes anew; where not, both are printed.
func isGolden(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws
  -> Bool
{
  let path = "\(repository)/Tests/AdminCommandsTests/Golden/\(name).txt"
  if environment("UPDATE_GOLDEN") == "1" {
    removeFile(path)
    try createFile(path, rights: 0o644)
    let descriptor = open(path, O_WRONLY)
    defer { close(descriptor) }
    try writeAll(Array(text.utf8), to: descriptor, path: path)
  }
  let golden = try String(decoding: readFile(path, limit: 1 << 20), as: UTF8.self)
  if golden != text {
    Issue.record("\(name).txt says:\n\(golden)\nand it is:\n\(text)", sourceLocation: sourceLocation)
  }
  return golden == text
}
