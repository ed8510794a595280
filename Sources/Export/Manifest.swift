import Crypto
import JSON
import ReleaseModel

/// The list of all files with their digests, one app per line, so that unchanged apps are copied as they are.
struct Manifest {
  static let path = "manifest.json"

  /// What it says about each app, as it is written.
  private var lines: [String: [UInt8]] = [:]

  init() {}

  /// Reads a manifest that `write` made; its content is checked by its digest, not here.
  init(_ bytes: [UInt8]) {
    for line in bytes.split(separator: 0x0A).dropFirst().dropLast() {
      // A line is `"slug":{…},`; a slug needs no escapes.
      guard let end = line.dropFirst().firstIndex(of: UInt8(ascii: "\"")), end + 2 <= line.endIndex else {
        continue
      }
      let slug = String(decoding: line[(line.startIndex + 1)..<end], as: UTF8.self)
      let value = line[(end + 2)...]
      lines[slug] = Array(value.last == UInt8(ascii: ",") ? value.dropLast() : value)
    }
  }

  /// The digests of an app's files, by path.
  func files(of slug: String) -> JSON.Object {
    lines[slug].flatMap { try? JSON(parsing: $0) }?["files"]?.object ?? JSON.Object()
  }

  mutating func set(_ slug: String, generation: Int64, until: Timestamp?, files: JSON.Object) {
    let json: JSON = [
      "files": .object(files),
      "generation": .integer(generation), "validUntil": .optional(until?.text),
    ]
    lines[slug] = json.bytes()
  }

  mutating func remove(_ slug: String) { lines[slug] = nil }

  /// The digest of a manifest, whatever line feeds follow it.
  static func digest(of bytes: [UInt8]) -> String {
    let end = bytes.lastIndex { $0 != 0x0A } ?? -1
    return SHA256.hexadecimal(of: Array(bytes[...end]) + [0x0A])
  }

  func document(ledger: String) -> Document {
    var out = Array("{\"apps\":{".utf8)
    for (index, slug) in lines.keys.sorted().enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.append(0x0A)
      JSON.string(slug).write(to: &out)
      out.append(UInt8(ascii: ":"))
      out += lines[slug] ?? []
    }
    out += Array("\n},\"ledger\":".utf8)
    JSON.string(ledger).write(to: &out)
    return Document(path: Manifest.path, bytes: out + Array("}\n".utf8))
  }
}

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
