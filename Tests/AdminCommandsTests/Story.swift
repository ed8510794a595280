internal import JSON
internal import Platform
internal import ReleaseModel
internal import TestSupport
internal import Testing

/// Stories: commands, one a line, and what each comes to.
///
/// A line is a command without `pawl`. Double quotes hold blanks, `@NAME` is a file of the shell's folder, `LAST` the
/// number of the last event before the line, `HEAD-1` the one before it, `LAST+1` the next one, and `< TEXT` at the end is what comes in, with `\n` for a line feed.
///
/// Behind `→` stands what it comes to: an exit status, the row of docs/errors.md that an error or a finding is worded by
/// (`id`, or `id/wording`), `same` where nothing is recorded, and `PATH=VALUE`
/// for a member of the error, else of the first result, else of the answer: `a.0.b`, `a.*.b` for all, `a.#` for how many;
/// texts without quotes, `missing` for none; `PATH~=A,B` where it has these and perhaps more. Without it the command ends with 0. What is refused records nothing.
///
/// `sleep SPAN` lets time pass, `-SPAN` sets the clock back; `live APP VERSION…` publishes versions that are live and
/// visible at once; `past APP VERSION…` imports some that were released a month apart from the beginning of 2026;
/// `json FILE` looks into a document; `file NAME TEXT` writes a file, `prop NAME` one of those of `Props.swift`; `set NAME=VALUE` sets a variable; `alter SQL` alters
/// the ledger as somebody would at the `sqlite3` shell; `sign FILE NAME…` signs a plan, and `demand` names three signers, of
/// whom two have to agree; `agreed LINE` has two sign and apply a plan of it, `later LINE` after 90 seconds; `terminal WIDTH` makes the streams a terminal, and `terminal` none; `name NAME VALUE` lets `{NAME}`
/// stand for a value, `said NAME COMMAND` for what a command prints, and `{ada}` the key of a signer (`Signers.swift`), and
/// `{9*x}` repeats a text;
/// `repeat FIRST LAST LINES` has lines go, ` ; ` between them, with `{n}` for the number; `copy`, `remove`, `folder`, `pipe`,
/// `link`, `rights`, `damage` and `edit NAME OLD NEW` are about files of the folder; `head NAME` lets `{NAME}` be the head;
/// `look NAME [@FILE]` looks at the lists, a file or a folder of documents, and `seen NAME [@FILE]` says that it is as it was;
/// `zones` makes a folder of zones; `taker STATUS…` says how the programs of deliveries end, the last one from then on, and
/// `taken` looks into the messages that were handed over since it looked; `answers STATUS TEXT ERRORS …` says what all other
/// programs print, and how they end, one after the other; `there @FILE` and `absent @FILE` say whether one is there. What brings
/// evidence is in `Evidence.swift`.
///
/// `NOON` is the moment at which a shell begins, and `NOON+SPAN` one after it. Behind `⇒` stands a text that is printed, and
/// behind `⇏` one that is not, by a command or by `cat FILE`;
/// `complete LINE ⇒ WORDS` says what is offered for the end of a line, `_` for a word that begins. A line that begins with `#` is a comment.
extension Shell {
  func tell(_ story: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for line in story.split(separator: "\n") {
      if line.hasPrefix("#") || prints(String(line), sourceLocation) { continue }
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
      case "file": try directory.write(Shell.unescaped(words[2]), to: words[1])
      case "prop": try directory.write(#require(try Props.files.get()[words[1]]), to: words[1])
      case "edit":
        let old = try text(words[1])
        try #require(old.contains(words[2]), "\(line)", sourceLocation: sourceLocation)
        try directory.write(old.replacing(words[2], with: words[3], maxReplacements: 1), to: words[1])
      case "damage":
        for offset in stride(from: 4_096, to: try bytes(words[1]).count, by: 512) {
          try directory.write(0xFF, at: offset, of: words[1])
        }
      case "head":
        let ledger = words.dropFirst(2).flatMap { ["--ledger", $0] }
        let head = run(["history", "--limit", "1", "--json"] + ledger).json["head"]
        let (seq, hash) = (head?["seq"]?.text() ?? "", head?["hash"]?.string ?? "")
        (names[words[1]], names[words[1] + ".upper"]) = ("\(seq):\(hash)", "\(seq):\(hash.uppercased())")
        (names[words[1] + ".seq"], names[words[1] + ".hash"]) = (seq, hash)
      case "answers":
        let texts = (words.dropFirst() + ["", ""]).map { Shell.unescaped($0) }
        var ends = try stride(from: 0, to: texts.count - 2, by: 3).map { start in
          try ProgramEnd(
            status: #require(Int32(String(decoding: texts[start], as: UTF8.self))), output: texts[start + 1],
            errors: texts[start + 2])
        }
        answer = { _ in ends.count > 1 ? ends.removeFirst() : ends[0] }
      case "taker": taker = words.dropFirst().compactMap { Int32($0) }
      case "taken":
        Shell.expect(wanted, in: [.array(taken)], "\(line): \(JSON.array(taken).text())", sourceLocation)
        taken = []
      case "look": names["look \(words[1])"] = try looks(words.dropFirst(2).first)
      case "seen":
        let (seen, looks) = (names["look \(words[1])"], try looks(words.dropFirst(2).first))
        #expect(seen == looks, "\(line)", sourceLocation: sourceLocation)
      case "zones":
        for folder in ["zones", "zones/Europe"] { try directory.directory(folder) }
        try directory.write(Props.berlin, to: "zones/Europe/Berlin")
        environment["TZDIR"] = directory.file("zones")
      case "set":
        let name = String(words[1].prefix { $0 != "=" })
        let value = String(words[1].dropFirst(name.count + 1))
        environment[name] = value.isEmpty ? nil : at(value)
      case "alter": try alter(words[1])
      case "demand": try demand()
      case "agreed":
        try agreed(line.dropFirst("agreed ".count).description, sourceLocation: sourceLocation)
      case "later":
        try agreed(line.dropFirst("later ".count).description, after: "90s", sourceLocation: sourceLocation)
      case "terminal": terminalWidth = words.dropFirst().first.flatMap { Int($0) }
      case "machine": machine = words.dropFirst().first
      case "name": names[words[1]] = words[2]
      case "said":
        let ran = run(Array(words.dropFirst(2)))
        #expect(ran.status == 0, "\(line): \(ran.err)", sourceLocation: sourceLocation)
        names[words[1]] = ran.out.hasSuffix("\n") ? String(ran.out.dropLast()) : ran.out
      case "repeat":
        let body = String(line.split(separator: " ", maxSplits: 3)[3]).replacing(" ; ", with: "\n")
        for number in (Int(words[1]) ?? 0)...(Int(words[2]) ?? 0) {
          try tell(body.replacing("{n}", with: "\(number)"), sourceLocation: sourceLocation)
        }
      case "copy":
        try directory.write(readFile(words[1], limit: 1 << 24), to: words[2])
        try directory.setRights(0o640, of: words[2])
      case "remove": removeFile(words[1])
      case "folder": try directory.directory(words[1])
      case "pipe": try directory.pipe(words[1])
      case "link": try directory.link(words[1], to: words[2])
      case "rights": try directory.setRights(UInt32(words[1], radix: 8) ?? 0, of: words[2])
      case "there", "absent":
        let isThere = (try? FileStatus(of: words[1])) != nil
        #expect(isThere == (words[0] == "there"), "\(line)", sourceLocation: sourceLocation)
      case "sign":
        let people = try Signer.known().filter { words.dropFirst(2).contains($0.name) }
        try sign(words[1], people, sourceLocation: sourceLocation)
      default: try expect(try evidence(words) ?? words, wanted, String(line), sourceLocation)
      }
    }
  }

  private func expect(
    _ words: [String], _ wanted: [String], _ line: String, _ sourceLocation: SourceLocation
  ) throws {
    let (words, input) = Shell.cut(words)
    let status = wanted.lazy.compactMap { Int32($0) }.first
    let id = wanted.first { Int32($0) == nil && $0 != "same" && !$0.contains("=") }
    let isRefused = status.map { [1, 64, 65, 66, 77].contains($0) || $0 == 75 && id != nil } ?? (id != nil)
    let before = isRefused || wanted.contains("same") ? head() : nil
    let isJSON = !wanted.isEmpty && words.first != "serve-ssh"
    let ran = run((isJSON ? ["--json"] : []) + words, input: input)
    let said: Comment = "\(line): \(ran.status) \(ran.out)\(ran.err)"
    if let status { #expect(ran.status == status, said, sourceLocation: sourceLocation) }
    if let id, !ran.says(id) {
      Issue.record("not \(id), but \(ran.keys): \(said)", sourceLocation: sourceLocation)
    }
    if status == nil { #expect((ran.status == 0) == (id == nil), said, sourceLocation: sourceLocation) }
    Shell.expect(
      wanted, in: [ran.error, ran.json["results"]?.array?.first ?? .null, ran.json], said, sourceLocation)
    if let before { #expect(head() == before, said, sourceLocation: sourceLocation) }
    try followUp(words, ran, sourceLocation: sourceLocation)
  }

  /// A command's words, and what comes in.
  private static func cut(_ words: [String]) -> (words: [String], input: [UInt8]) {
    guard let sign = words.lastIndex(of: "<"), sign == words.count - 2 else { return (words, []) }
    return (words.dropLast(2), unescaped(words[sign + 1]))
  }

  /// The bytes of a text in which `\n`, `\r`, `\t` and `\xHH` stand for bytes.
  private static func unescaped(_ text: String) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), text.utf8[...])
    while let byte = rest.popFirst() {
      let known: [UInt8: UInt8] = [UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09]
      guard byte == UInt8(ascii: "\\"), let next = rest.first else {
        bytes.append(byte)
        continue
      }
      if let escaped = known[next] {
        bytes.append(escaped)
        rest.removeFirst()
      } else if next == UInt8(ascii: "x"),
        let value = UInt8(String(rest.dropFirst().prefix(2)) ?? "", radix: 16)
      {
        bytes.append(value)
        rest.removeFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// What a file holds, or the documents of a folder; without one, what the lists of the ledger print.
  private func looks(_ path: String?) throws -> String {
    guard let path else {
      return [
        "rules", "redirects", "settings", "app list", "releases", "check taxi", "check taxi 7.2",
        "app show taxi", "app show bus",
      ]
      .map { run($0).out }.joined()
    }
    let name = String(path.dropFirst(directory.path.count + 1))
    guard try FileStatus(of: path).kind == .directory else { return String(describing: try bytes(name)) }
    return try documents(in: name, withManifest: true).sorted { $0.key < $1.key }.map {
      "\($0.key) \($0.value)"
    }.joined()
  }

  /// Runs a line that says what is printed, or not; false where it says nothing of that.
  private func prints(_ line: String, _ sourceLocation: SourceLocation) -> Bool {
    for (arrow, isPrinted) in [(" ⇒", true), (" ⇏", false)] {
      guard let range = line.firstRange(of: arrow) else { continue }
      let (words, input) = Shell.cut(words(String(line[..<range.lowerBound])))
      let text = String(
        decoding: Shell.unescaped(filled(String(line[range.upperBound...].dropFirst()))), as: UTF8.self)
      if words.first == "complete" {
        let typed = words[1].split(separator: " ").map { $0 == "_" ? "" : String($0) }
        let ran = run(["--complete", "\(typed.count - 1)", "--"] + typed)
        #expect(
          ran.out == "words\n\(text.isEmpty ? "" : text + "\n")" && ran.err.isEmpty, "\(line): \(ran)",
          sourceLocation: sourceLocation)
        return true
      }
      let isFile = words.first == "cat"
      let file = isFile ? try? readFile(words[1], limit: 1 << 26) : []
      #expect(file != nil, "\(line)", sourceLocation: sourceLocation)
      let found =
        isFile
        ? String(decoding: file ?? [], as: UTF8.self) : { ran in ran.out + ran.err }(run(words, input: input))
      #expect(found.contains(text) == isPrinted, "\(line): \(found)", sourceLocation: sourceLocation)
      return true
    }
    return false
  }

  /// Expects the members that are wanted, each in the first of some values that has it.
  private static func expect(
    _ wanted: [String], in values: [JSON], _ said: Comment, _ sourceLocation: SourceLocation
  ) {
    for text in wanted where text.contains("=") {
      let name = text.prefix { $0 != "=" }
      let isPart = name.hasSuffix("~")
      let path = (isPart ? name.dropLast() : name).split(separator: ".")[...]
      let found = values.compactMap { member(path, of: $0) }
      let shown = (found.first { $0 != .null } ?? found.first).map(plain) ?? "missing"
      let value = text.drop { $0 != "=" }.dropFirst()
      if isPart {
        #expect(
          value.split(separator: ",").allSatisfy { shown.contains($0) }, said, sourceLocation: sourceLocation)
      } else {
        #expect(shown == value, said, sourceLocation: sourceLocation)
      }
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
    Terminal.words(line).map { filled(at($0)) }
  }

  private func at(_ word: String) -> String {
    word.hasPrefix("@")
      ? directory.file(String(word.dropFirst())) : word.replacing("=@", with: "=\(directory.path)/")
  }

  /// A text with what its capital words stand for.
  private func filled(_ text: String) -> String {
    var text = text
    if text.contains("{") {
      for signer in (try? Signer.known()) ?? [] { names[signer.name] = signer.line }
    }
    text.replace(/\{([0-9]+)\*(.+?)\}/) { String(repeating: String($0.2), count: Int($0.1) ?? 0) }
    text = names.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    text.replace(/LAST\+([0-9])/) { "\((head() ?? 0) + (Int64($0.1) ?? 0))" }
    for (name, back) in [("LAST", Int64(0)), ("HEAD-1", 1), ("HEAD-2", 2), ("HEAD-3", 3)]
    where text.contains(name) {
      text.replace(name, with: "\((head() ?? 0) - back)")
    }
    text.replace(/NOON(?:([+-])([0-9]+[smhd]))?/) { match in
      guard let span = match.2.flatMap({ TimeSpan(String($0)) }) else { return noon.text }
      return (match.1 == "-" ? noon - span : noon + span).text
    }
    return text
  }
}
