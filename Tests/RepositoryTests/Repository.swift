internal import Platform
internal import Testing

enum Repository {
  static let root = String(#filePath.dropLast("/Tests/RepositoryTests/Repository.swift".count))

  struct Line: CustomStringConvertible {
    let file: String
    let number: Int
    let text: String

    var description: String { "\(file):\(number): \(text)" }
  }

  static func text(_ path: String) throws -> String {
    let bytes = try readFile("\(root)/\(path)", limit: 1 << 24)
    return try #require(String(validating: bytes, as: UTF8.self), "\(path) is not UTF-8")
  }

  static func write(_ text: String, to path: String) throws {
    try publishFile(Array(text.utf8), as: "\(root)/\(path)", rights: 0o644, replaces: true)
  }

  static func lines(_ path: String) throws -> [Line] {
    try text(path).split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
      Line(file: path, number: $0.offset + 1, text: String($0.element))
    }
  }

  static func exists(_ path: String) -> Bool { (try? FileStatus(of: "\(root)/\(path)")) != nil }

  static func names(in folder: String) throws -> [String] {
    try fileNames(in: "\(root)/\(folder)").filter { !$0.hasPrefix(".") }.sorted()
  }

  static func files(below folder: String, ending: String) throws -> [String] {
    var found: [String] = []
    for name in try names(in: folder) {
      let path = "\(folder)/\(name)"
      if try FileStatus(of: "\(root)/\(path)").kind == .directory {
        found += try files(below: path, ending: ending)
      } else if name.hasSuffix(ending) {
        found.append(path)
      }
    }
    return found.sorted()
  }

  static func sources() throws -> [String] {
    try files(below: "Sources", ending: ".swift") + files(below: "db", ending: ".swift")
  }

  /// The most characters that a cell of a table in a page has.
  static let longestCell = 300

  static var updatesGolden: Bool { environment("UPDATE_GOLDEN") == "1" }
}
