import Platform

enum Fixtures {
  private static var root: String {
    String(#filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" })
  }

  static func read(_ path: String) throws -> [UInt8] { try readFile("\(root)/\(path)", limit: 1 << 24) }
}
