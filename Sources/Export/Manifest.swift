import JSON
import ReleaseModel

extension ExportState {
  /// The list of all files with their digests, one app per line.
  var manifest: Document {
    let lines = cells.sorted { $0.key < $1.key }.map { slug, formats in
      let files = formats.flatMap { format, cell in
        cell.files.map { ("\(format)/\(slug)\($0)", JSON.string($1)) }
      }
      let app: JSON = [
        "files": .object(JSON.Object(files)),
        "generation": .optional(formats.values.map(\.generation).max()),
        "validUntil": .optional(formats.values.compactMap(\.next).min()?.text),
      ]
      return "\n\(JSON.string(slug).text()):\(app.text())"
    }
    let text = "{\"apps\":{\(lines.joined(separator: ","))\n},\"ledger\":\(JSON.string(ledger).text())}\n"
    return Document(path: DocumentPath.manifest, bytes: Array(text.utf8))
  }
}

/// The paths that documents can have, so that nothing else is ever written, replaced or removed, whatever a
/// ledger, a state file or a journal says.
enum DocumentPath {
  static let manifest = "manifest.json"

  static func isOwn(_ path: String) -> Bool {
    if path == manifest { return true }
    guard let parts = parts(of: path), App.isSlug(parts.format), App.isSlug(parts.app) else { return false }
    return isSuffix(parts.suffix)
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
  static func isSuffix(_ text: Substring) -> Bool {
    guard let point = text.utf8.lastIndex(of: UInt8(ascii: ".")),
      endings.contains(where: { text[point...].utf8.elementsEqual($0.utf8) })
    else { return false }
    guard text.utf8.first == UInt8(ascii: "/") else { return point == text.startIndex }
    return version(of: text) != nil || ["/default", "/schedule"].contains(text[..<point])
  }

  /// The version that a document is for, by what follows the app in its path; nil if it is for many.
  static func version(of suffix: Substring) -> Version? {
    guard suffix.utf8.first == UInt8(ascii: "/"),
      let point = suffix.utf8.lastIndex(of: UInt8(ascii: "."))
    else { return nil }
    return try? Version(String(suffix[..<point].dropFirst()))
  }

  static let endings = [".json", ".xml", ".jws"]

  /// The document served at the same address for a version without a document of its own (docs/nginx.conf).
  static let fallback = "default.json"
}
