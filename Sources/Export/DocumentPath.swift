import ReleaseModel

/// The paths that documents can have, so that nothing else is ever written, replaced or removed, whatever a
/// ledger, a state file or a journal says.
enum DocumentPath {
  static func isOwn(_ path: String) -> Bool {
    if path == Manifest.path { return true }
    guard let slash = path.firstIndex(of: "/") else { return false }
    let rest = path[path.index(after: slash)...]
    guard App.isSlug(String(path[..<slash])), let end = rest.firstIndex(where: { $0 == "/" || $0 == "." })
    else { return false }
    var suffix = rest[end...]
    return App.isSlug(String(rest[..<end])) && suffix.withUTF8(isSuffix)
  }

  /// Whether a text is what follows the app in a path: `.json` in `lookup/taxi.json`, `/1.0.json` in
  /// `v1/taxi/1.0.json`.
  static func isSuffix(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let point = bytes.lastIndex(of: UInt8(ascii: ".")),
      endings.contains(where: { bytes[point...].elementsEqual($0.utf8) })
    else { return false }
    guard bytes.first == UInt8(ascii: "/") else { return point == 0 }
    let name = UnsafeBufferPointer(rebasing: bytes[1..<point])
    return (try? Version(bytes: name)) != nil
      || ["default", "schedule"].contains { name.elementsEqual($0.utf8) }
  }

  /// The version that a document is for, by what follows the app in its path; nil if it is for many.
  static func version(of suffix: Substring) -> Version? {
    guard suffix.utf8.first == UInt8(ascii: "/"), let point = suffix.utf8.lastIndex(of: UInt8(ascii: "."))
    else { return nil }
    return try? Version(String(suffix[suffix.utf8.index(after: suffix.startIndex)..<point]))
  }

  static let endings = [".json", ".xml", ".jws"]

  /// The document served at the same address for a version without a document of its own (docs/nginx.conf).
  static let fallback = "default.json"

  static let schedule = "schedule.json"
}
