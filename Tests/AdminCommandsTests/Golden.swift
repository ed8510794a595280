internal import Platform
internal import Testing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Holds a text against a file of `Golden`, which UPDATE_GOLDEN=1 writes anew.
///
/// Hashes are left out: they depend on every member of every event, and have tests of their own.
func expectGolden(
  _ text: String, _ name: String, ending: String = "txt", sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let text = text.replacing(/[0-9a-f]{64}/, with: "HASH")
  let path = "\(repository)/Tests/AdminCommandsTests/Golden/\(name).\(ending)"
  if environment("UPDATE_GOLDEN") == "1" {
    removeFile(path)
    try createFile(path, rights: 0o644)
    let descriptor = open(path, O_WRONLY)
    defer { close(descriptor) }
    try writeAll(Array(text.utf8), to: descriptor, path: path)
  }
  #expect(
    try String(decoding: readFile(path, limit: 1 << 20), as: UTF8.self) == text, "\(name).\(ending)",
    sourceLocation: sourceLocation)
}
