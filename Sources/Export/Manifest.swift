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
