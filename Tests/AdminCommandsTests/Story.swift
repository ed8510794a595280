internal import JSON
internal import Platform
internal import ReleaseModel
internal import TestSupport
internal import Testing

/// Stories: commands, one a line, and what each comes to.
///
/// A line is a command without `pawl`. Double quotes hold blanks, `@NAME` is a file of the shell's folder, `LAST` the
/// number of the last event, `HEAD-1` the one before it, and `< TEXT` at the end is what comes in, with `\n` for a line feed.
///
/// Behind `→` stands what it comes to: an exit status, an error's id, `same` where nothing is recorded, and `PATH=VALUE`
/// for a member of the error, else of the first result, else of the answer: `a.0.b`, `a.*.b` for all, `a.#` for how many;
/// texts without quotes, `missing` for none. Without it the command ends with 0. What is refused records nothing.
///
/// `sleep SPAN` lets time pass, `-SPAN` sets the clock back; `live APP VERSION…` publishes versions that are live and
/// visible at once; `past APP VERSION…` imports some that were released a month apart from the beginning of 2026;
/// `json FILE` looks into a document; `file NAME TEXT` writes a file; `set NAME=VALUE` sets a variable; `alter SQL` alters
/// the ledger as somebody would at the `sqlite3` shell; `sign FILE NAME…` signs a plan. What brings evidence is in
/// `Evidence.swift`.
extension Shell {
  func tell(_ story: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for line in story.split(separator: "\n") {
      let sides = line.split(separator: " → ", maxSplits: 1).map(String.init)
      let (words, wanted) = (words(sides[0]), sides.count > 1 ? words(sides[1]) : [])
      switch words.first {
      case nil: continue
      case "sleep":
        let span = try #require(TimeSpan(words[1].replacing("-", with: "")))
        clock = words[1].hasPrefix("-") ? clock - span : clock + span
      case "live":
        for version in words.dropFirst(2) {
          try done("publish \(words[1]) \(version) --yes", sourceLocation: sourceLocation)
          try done("mark \(words[1]) \(version) live --visible-now --yes", sourceLocation: sourceLocation)
        }
      case "past":
        let lines = words.dropFirst(2).enumerated().map {
          "\($1),2026-\($0 < 9 ? "0" : "")\($0 + 1)-01T00:00:00Z\\n"
        }
        try expect(
          ["import", words[1], "-", "--yes", "<", "version,released_at\\n" + lines.joined()], [],
          String(line), sourceLocation)
      case "json":
        let json = try JSON(parsing: readFile(words[1], limit: 1 << 20))
        Shell.expect(wanted, in: [json], "\(line): \(json.text())", sourceLocation)
      case "file": try directory.write(words[2].replacing("\\n", with: "\n"), to: words[1])
      case "set":
        let name = String(words[1].prefix { $0 != "=" })
        environment[name] = self.words(String(words[1].dropFirst(name.count + 1))).first
      case "alter": try alter(words[1])
      case "sign":
        let people = try Signer.three().filter { words.dropFirst(2).contains($0.name) }
        try sign(words[1], people, sourceLocation: sourceLocation)
      default: try expect(try evidence(words) ?? words, wanted, String(line), sourceLocation)
      }
    }
  }

  private func expect(
    _ words: [String], _ wanted: [String], _ line: String, _ sourceLocation: SourceLocation
  ) throws {
    var words = words
    var input = ""
    if let sign = words.lastIndex(of: "<"), sign == words.count - 2 {
      input = words[sign + 1].replacing("\\n", with: "\n")
      words.removeLast(2)
    }
    let status = wanted.lazy.compactMap { Int32($0) }.first
    let id = wanted.first { Int32($0) == nil && $0 != "same" && !$0.contains("=") }
    let isRefused = status != 74 && id != nil || status.map { [1, 64, 65, 66, 77].contains($0) } ?? false
    let before = isRefused || wanted.contains("same") ? head() : nil
    let ran = run((wanted.isEmpty ? [] : ["--json"]) + words, input: Array(input.utf8))
    let said: Comment = "\(line): \(ran.status) \(ran.out)\(ran.err)"
    if let status { #expect(ran.status == status, said, sourceLocation: sourceLocation) }
    if let id { #expect(ran.errorID == id, said, sourceLocation: sourceLocation) }
    if status == nil { #expect((ran.status == 0) == (id == nil), said, sourceLocation: sourceLocation) }
    Shell.expect(
      wanted, in: [ran.error, ran.json["results"]?.array?.first ?? .null, ran.json], said, sourceLocation)
    if let before { #expect(head() == before, said, sourceLocation: sourceLocation) }
    try followUp(words, ran, sourceLocation: sourceLocation)
  }

  /// Expects the members that are wanted, each in the first of some values that has it.
  private static func expect(
    _ wanted: [String], in values: [JSON], _ said: Comment, _ sourceLocation: SourceLocation
  ) {
    for text in wanted where text.contains("=") {
      let path = text.prefix { $0 != "=" }.split(separator: ".")[...]
      let found = values.compactMap { member(path, of: $0) }
      let shown = (found.first { $0 != .null } ?? found.first).map(plain) ?? "missing"
      #expect(shown == text.drop { $0 != "=" }.dropFirst(), said, sourceLocation: sourceLocation)
    }
  }

  private static func member(_ path: ArraySlice<Substring>, of json: JSON) -> JSON? {
    guard let name = path.first else { return json }
    let rest = path.dropFirst()
    guard let elements = json.array else { return json[String(name)].flatMap { member(rest, of: $0) } }
    switch name {
    case "#": return .integer(Int64(elements.count))
    case "*": return .array(elements.map { member(rest, of: $0) ?? "missing" })
    default: return Int(name).flatMap { elements.indices.contains($0) ? member(rest, of: elements[$0]) : nil }
    }
  }

  private static func plain(_ json: JSON) -> String { json.string ?? json.text().filter { $0 != "\"" } }

  func words(_ line: String) -> [String] {
    Terminal.words(line).map { word in
      if word.hasPrefix("@") { return directory.file(String(word.dropFirst())) }
      return [("LAST", Int64(0)), ("HEAD-1", 1), ("HEAD-2", 2)].reduce(word) { word, name in
        word.contains(name.0) ? word.replacing(name.0, with: "\((head() ?? 0) - name.1)") : word
      }
    }
  }
}
