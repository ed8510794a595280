import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files of the repository and of the caller, read and written without Foundation.
enum Fixtures {
  /// The top folder of the repository, from the place of this file.
  static var root: String {
    String(#filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" })
  }

  static func read(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen("\(root)/\(path)", "rb"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer.prefix(count)
    }
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    let file = try #require(fopen(path, "wb"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
