import ReleaseModel

/// The paths that documents can have, so that nothing else is ever written, replaced or removed, whatever a
/// ledger, a state file or a journal says.
enum DocumentPath {
  static func isOwn(_ path: String) -> Bool {
    if path == Manifest.path { return true }
    guard var parts = parts(of: path), App.isSlug(parts.format), App.isSlug(parts.app) else { return false }
    return parts.suffix.withUTF8(isSuffix)
  }

  /// The format, the app, and what follows the app in a path; nil for any other path.
  static func parts(of path: String) -> (format: String, app: String, suffix: Substring)? {
    guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let rest = path[path.utf8.index(after: slash)...]
    let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }
    guard let end else { return nil }
    return (String(path[..<slash]), String(rest[..<end]), rest[end...])
  }

  /// Whether a text is what follows the app in a path: `.json` in `lookup/taxi.json`, `/1.0.json` in
  /// `v1/taxi/1.0.json`.
  static func isSuffix(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let point = bytes.lastIndex(of: UInt8(ascii: ".")),
      endings.contains(where: { bytes[point...].elementsEqual($0.utf8) })
    else { return false }
    guard bytes.first == UInt8(ascii: "/") else { return point == 0 }
    return version(of: bytes) != nil
      || ["default", "schedule"].contains { bytes[1..<point].elementsEqual($0.utf8) }
  }

  /// The version that a document is for, by what follows the app in its path; nil if it is for many.
  static func version(of suffix: Substring) -> Version? {
    var suffix = suffix
    return suffix.withUTF8(version)
  }

  private static func version(of suffix: UnsafeBufferPointer<UInt8>) -> Version? {
    let point = suffix.lastIndex(of: UInt8(ascii: "."))
    guard let point, suffix.first == UInt8(ascii: "/") else { return nil }
    return try? Version(bytes: UnsafeBufferPointer(rebasing: suffix[1..<point]))
  }

  static let endings = [".json", ".xml", ".jws"]

  /// The document served at the same address for a version without a document of its own (docs/nginx.conf).
  static let fallback = "default.json"
}
