import Platform

enum Fixtures {
  private static var root: String {
    String(#filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" })
  }

  static func path(_ file: String) -> String { "\(root)/\(file)" }

  static func read(_ path: String) throws -> [UInt8] { try readFile(Fixtures.path(path), limit: 1 << 24) }
}
