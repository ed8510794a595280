internal import Platform
internal import TestSupport
internal import Testing

/// A directory that was exported to before has the documents of a fresh one, whatever happened in between.
extension Shell {
  private static let formats = ["v1", "flags", "type", "lookup", "prince-of-versions", "upgrader"]

  /// All formats but the signed one, as options.
  static let everyFormat = formats.map { " --format \($0)" }.joined()

  /// Exports what the ledger says now into a directory that every call exports to, and into a fresh one.
  ///
  /// A copy of the ledger does it, so that what it notes beside itself is nobody's.
  func expectSameDocuments(
    _ options: String = "", _ said: Comment, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    if !directory.exists("twin") { try directory.directory("twin") }
    try directory.write(readFile(ledger, limit: 1 << 26), to: "twin/pawl.db")
    let named = environment["PAWL_EXPORT"]
    environment["PAWL_EXPORT"] = nil
    defer { environment["PAWL_EXPORT"] = named }
    let fresh = "twin/fresh\(try fileNames(in: directory.file("twin")).count)"
    for folder in ["twin/kept", fresh] {
      run(words("export @\(folder)\(Shell.everyFormat) \(options) --ledger @twin/pawl.db"))
    }
    try expectSame("twin/kept", fresh, said, sourceLocation: sourceLocation)
  }

  /// Expects two directories to have the same documents, but for line feeds at the end.
  func expectSame(
    _ first: String, _ second: String, _ said: Comment, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (found, wanted) = (try documents(in: first), try documents(in: second))
    #expect(found.keys.sorted() == wanted.keys.sorted(), said, sourceLocation: sourceLocation)
    let differing = found.filter { wanted[$0.key] != $0.value }.keys.sorted()
    #expect(differing == [], said, sourceLocation: sourceLocation)
  }

  func documents(in folder: String, withManifest: Bool = false) throws -> [String: String] {
    var found: [String: String] = [:]
    func look(_ path: String) throws {
      for name in try fileNames(in: directory.file(folder + path)) where name != ".pawl" {
        let place = "\(path)/\(name)"
        if try FileStatus(of: directory.file(folder + place)).kind == .directory {
          try look(place)
        } else if withManifest || place != "/manifest.json" {
          found[place] = String(try text(folder + place).reversed().drop { $0 == "\n" }.reversed())
        }
      }
    }
    try look("")
    return found
  }

  /// Called after each command of a test: one that exported is run again as above.
  func followUp(_ words: [String], _ ran: Ran, sourceLocation: SourceLocation) throws {
    let other: Set = ["--ledger", "--at", "--sign", "--take-over", "--dry-run", "--complete"]
    guard words.first == "export", ran.status == 0, other.isDisjoint(with: words),
      environment["PAWL_LEDGER"] == nil, terminalWidth == nil, stop == nil
    else { return }
    let options = words.contains("--include-unreleased") ? "--include-unreleased" : ""
    try expectSameDocuments(options, "\(words.joined(separator: " "))", sourceLocation: sourceLocation)
  }
}
