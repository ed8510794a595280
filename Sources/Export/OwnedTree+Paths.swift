extension OwnedTree {
  static func parent(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
  }

  /// The path of the document that answers in place of a missing one in the same folder.
  static func fallback(beside path: String) -> String { parent(of: path) + "/" + DocumentPath.fallback }

  static func name(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }
}
