import Crypto
import ReleaseModel

/// Redis 7 or newer, by redis-cli, which takes one command a line: a library of functions.
///
/// Each app has a hash (its head), a sorted set (its rows, by key) and a hash (its notes), which every function is told
/// of as keys, so that a cluster can hold them. A row is its columns as they are, with tabs between them. The notes of
/// a target are there as JSON, and again as texts, by language, so that an answer needs no decoding: what blocks one
/// function blocks everyone. `pawl:apps` has the names of apps that there may be.
struct Redis: MirrorStore {
  let signs = [
    MirrorTrouble.noTables: ["Function not found"], .rights: ["NOPERM"],
    .account: ["NOAUTH", "WRONGPASS", "invalid password"],
  ]

  private func call(_ function: String, _ app: String, _ words: [String] = [], readOnly: Bool = true)
    -> String
  {
    let keys = ["head", "answers", "notes"].map { "pawl:{\(app)}:\($0)" }
    let line = [readOnly ? "FCALL_RO" : "FCALL", function, "3"] + keys + words.map(Redis.quoted)
    return line.joined(separator: " ") + "\n"
  }

  /// A word of a line as redis-cli reads it, in ASCII.
  private static func quoted(_ text: String) -> String {
    var word = "\""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): word += "\\" + String(UnicodeScalar(byte))
      case 0x0A: word += "\\n"
      case 0x20...0x7E: word.unicodeScalars.append(UnicodeScalar(byte))
      default: word += "\\x" + hexadecimalText([byte])
      }
    }
    return word + "\""
  }

  var schema: String { "FUNCTION LOAD REPLACE \(Redis.quoted(Redis.library))\n" }

  func heads(of apps: [String]) -> String {
    "ECHO pawl-here\nFCALL_RO pawl_mirror 0\n" + apps.map { call("pawl_head", $0) }.joined()
      + "FCALL_RO pawl_names 1 pawl:apps\n"
  }

  func rows(of apps: [String]) -> String {
    apps.map { call("pawl_rows", $0) }.joined() + "ECHO pawl-here\n"
  }

  func send(_ app: MirroredApp, over old: MirrorHead?) -> String {
    let rows = app.rows.map { row in row.cells.map { $0 ?? "" }.joined(separator: "\t") }
    let head =
      [("app", app.head.app)] + app.head.cells(fence: old?.nextFence ?? 1).map { ($0.column, $0.value) } + [
        ("not_before", "\(app.notBefore)")
      ]
    // A line that is cut has no end.
    return "SADD pawl:apps \(app.head.app)\n"
      + call(
        "pawl_send", app.head.app,
        [old.map(Redis.word) ?? ""] + ["\(head.count)"] + head.flatMap { [$0.0, $0.1] } + ["\(rows.count)"]
          + rows + Redis.fields(of: app).flatMap { [$0, $1] } + ["end"], readOnly: false)
  }

  /// The hash of notes: `APP VERSION` has those of a target as JSON, `APP VERSION LANGUAGE` one of them, and with a blank
  /// for the language there are the languages in order.
  private static func fields(of app: MirroredApp) -> [(name: String, text: String)] {
    app.notes.flatMap { app, version, notes in
      let target = "\(app) \(version.text)"
      var languages: [String] = []
      let texts = notes.compactMap { note -> (String, String)? in
        let language = Release.normalized(note.locale)
        if languages.contains(language) { return nil }
        languages.append(language)
        return ("\(target) \(language)", note.text)
      }
      return [(target, Note.text(notes)), ("\(target) ", " \(languages.joined(separator: " ")) ")] + texts
    }
  }

  func lines(of app: MirroredApp) -> [String] {
    app.lines.prefix(1 + app.rows.count)
      + Redis.fields(of: app).map { name, text in
        (name.split(separator: " ", omittingEmptySubsequences: false) + [Substring(text)]).map { cell in
          cell.isEmpty ? "-" : hexadecimalText(Array(cell.utf8))
        }.joined(separator: " ")
      }
  }

  func remove(_ head: MirrorHead) -> String {
    call("pawl_remove", head.app, [Redis.word(head), "end"], readOnly: false) + "SREM pawl:apps \(head.app)\n"
  }

  private static func word(_ head: MirrorHead) -> String { head.cells.map(\.value).joined(separator: " ") }

  private static func list(_ names: [String]) -> String {
    names.map { "'\($0)'" }.joined(separator: ", ")
  }

  /// The functions. Those that write come to nothing unless the head is still what it was.
  private static var library: String {
    filled(
      PackageResources.redis_lua,
      [
        "columns": list(Tile.columns.map(\.column)), "told": list(Self.told.map(\.name)),
        "members": membersOfTiers.map { "\($0) = '\($1)'" }.joined(separator: ", "),
        "head": list(MirrorHead.columns.map(\.name)), "format": "\(MirrorKind.format)",
      ])
  }
}
