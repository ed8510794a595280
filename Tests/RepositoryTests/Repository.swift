internal import Testing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The files of the repository, by their paths from its top.
enum Repository {
  /// The folder this package is in.
  static let root = String(#filePath.dropLast("/Tests/RepositoryTests/Repository.swift".count))

  /// One line of a file.
  struct Line: CustomStringConvertible {
    let file: String
    let number: Int
    let text: String

    /// The place and the text, as compilers name them.
    var description: String { "\(file):\(number): \(text)" }
  }

  /// The text of a file.
  static func text(_ path: String) throws -> String {
    let stream = try #require(fopen("\(root)/\(path)", "r"), "there is no \(path)")
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, stream)
      if count == 0 { break }
      bytes.append(contentsOf: buffer[..<count])
    }
    return try #require(String(validating: bytes, as: UTF8.self), "\(path) is not UTF-8")
  }

  /// Replaces a file.
  static func write(_ text: String, to path: String) throws {
    let stream = try #require(fopen("\(root)/\(path)", "w"))
    fputs(text, stream)
    try #require(fclose(stream) == 0)
  }

  /// The lines of a file.
  static func lines(_ path: String) throws -> [Line] {
    try text(path).split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
      Line(file: path, number: $0.offset + 1, text: String($0.element))
    }
  }

  /// Whether there is a file or folder.
  static func exists(_ path: String) -> Bool { access("\(root)/\(path)", F_OK) == 0 }

  /// The names in a folder, sorted.
  static func names(in folder: String) throws -> [String] {
    let stream = try #require(opendir("\(root)/\(folder)"), "there is no folder \(folder)")
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The files below a folder whose names end so, sorted.
  static func files(below folder: String, ending: String) throws -> [String] {
    var found: [String] = []
    for name in try names(in: folder) {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat("\(root)/\(path)", &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        found += try files(below: path, ending: ending)
      } else if name.hasSuffix(ending) {
        found.append(path)
      }
    }
    return found.sorted()
  }

  /// The Swift files of the product: Sources and db.
  static func sources() throws -> [String] {
    try files(below: "Sources", ending: ".swift") + files(below: "db", ending: ".swift")
  }

  /// Whether golden files are to be rewritten: `UPDATE_GOLDEN=1`.
  static var updatesGolden: Bool { getenv("UPDATE_GOLDEN").map { String(cString: $0) } == "1" }
}
