import JSON
import Platform
import ReleaseModel
import TestSupport
import Testing

/// `import --flags`: a table of flags becomes releases, rules and redirects, and the documents say what it said.
@Suite struct FlagImportTests {
  /// Forty rows: every combination of flags in runs of different lengths, pages of their own, and a version in review.
  private static func table() -> [(version: String, flags: String, page: String)] {
    let actions = ["Y,Y", "Y,Y", "Y,N", "N,N", "Y,N", "Y,N", "Y,Y", "N,N", "N,N", "Y,Y"]
    let rows = (0..<38).map { index in
      let store = index % 2 == 0 ? "https://apps.apple.com/app/id1524608462" : ""
      let version = "\(5 + index / 15).\(index / 4 % 4).\(index % 4)"
      let page = index % 9 == 4 ? "https://example.com/\(index)" : store
      return (version: version, flags: actions[index % 10] + ",0", page: page)
    }
    return rows + [("8.0", "N,N,0", ""), ("8.1", "Y,Y,1", "")]
  }

  private static func csv(_ rows: [(version: String, flags: String, page: String)]) -> [UInt8] {
    let lines = rows.map { "\($0.version),\($0.flags),\($0.page)\n" }
    return Array("version,updated,force_updated,review,download_url\n\(lines.joined())".utf8)
  }

  private static func shell() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.done("trust host example.com --yes")
    return shell
  }

  @Test(arguments: [
    "", "app set taxi --policy none --yes", "force taxi below:6.0 --when-visible --reason x --yes",
  ])
  func `the flags documents say for each of forty rows what the table said`(first: String) throws {
    let (shell, rows) = (try Self.shell(), Self.table())
    #expect(Set(rows.map(\.version)).count == 40)
    if !first.isEmpty { try shell.done(first) }
    let asked = shell.run("import taxi - --flags --json", input: Self.csv(rows))
    #expect(asked.status == 1 && asked.out.isEmpty && asked.err.contains("confirm.required"))
    let ran = shell.run("import taxi - --flags --yes --json", input: Self.csv(rows))
    try #require(ran.status == 0, "\(ran.err)")
    #expect(ran.json["rows"]?.array?.count == 40)
    let out = shell.directory.file("out")
    try shell.done("export \(out) --format flags")
    for row in rows {
      let isInReview = row.flags.hasSuffix("1")
      let path = "\(out)/flags/taxi/\(isInReview ? "default" : row.version).json"
      let body = try #require(try JSON(parsing: readFile(path, limit: 1 << 16))["body"])
      let isUpdated = row.flags.hasPrefix("Y") && !isInReview
      #expect(body["hasNewVersion"]?.string == (isUpdated ? "1" : "0"), "\(row)")
      #expect(body["needUpgrade"]?.string == (isUpdated && row.flags.hasPrefix("Y,Y") ? "1" : "0"), "\(row)")
      #expect(body["review"]?.string == (isInReview ? "1" : "0"), "\(row)")
      if isUpdated, !row.page.isEmpty { #expect(body["downloadUrl"]?.string == row.page, "\(row)") }
    }
    // The rows are the reason, there are fewer rules than rows, and a second time nothing is left to do.
    let rules = try #require(try shell.done("rules taxi --json").json["rules"]?.array)
    #expect(rules.count < 30 && rules.last?["reason"]?.string?.hasPrefix("line ") == true)
    let again = shell.run("import taxi - --flags --yes --json", input: Self.csv(rows))
    #expect(again.status == 0 && again.json["changed"] == false, "\(again.err)")
    #expect(shell.run("verify").status == 0)
  }

  @Test func `the newest version is told nothing, whatever its row says`() throws {
    let shell = try Self.shell()
    let csv = Array("version,updated,force_updated\n1.0,Y,Y\n1.1,Y,Y\n".utf8)
    #expect(shell.run("import taxi - --flags --yes", input: csv).status == 0)
    #expect(try shell.done("check taxi 1.1 --json").json["decidedBy"] == "current")
    #expect(try shell.done("check taxi 1.0 --json").json["action"] == "force")
  }

  @Test(arguments: [
    ("version,updated\n1.0,Y\n", "line 1: its header has no column 'force_updated'"),
    ("version,updated,force_updated,updated\n", "line 1: its header has column 'updated' twice"),
    ("version,updated,force_updated\n1.0,N,Y\n", "line 2: 1.0 is force_updated but not updated"),
    ("version,updated,force_updated\n1.0,Y,maybe\n", "line 2: force_updated is neither Y nor N"),
    ("version,updated,force_updated\n1.0,Y\n", "line 2: it has 2 fields where the header has 3"),
    ("version,updated,force_updated\nv1,Y,N\n", "line 2: invalid version 'v1'"),
    ("version,updated,force_updated\n1.0,Y,N\n1.0.0,N,N\n", "line 3: 1.0.0 is in line 2 already"),
    (
      "version,updated,force_updated,review\n9.0,N,N,0\n",
      "line 2: 9.0 is prepared, and review says otherwise"
    ),
    ("version,updated,force_updated,download_url\n1.0,Y,N,http://example.com\n2.0,N,N,\n", "http"),
    ("version,updated,force_updated,review\n2.0,N,N,0\n1.0,N,N,1\n", "1.0"),
  ])
  func `a table that says nothing, or what cannot be, is refused as a whole`(csv: String, why: String) throws
  {
    let shell = try Self.shell()
    if csv.contains("9.0") { try shell.done("publish taxi 9.0") }
    let head = shell.head()
    let ran = shell.run("import taxi - --flags --yes", input: Array(csv.utf8))
    #expect(ran.status != 0 && ran.err.contains(why), "\(ran.err)")
    #expect(shell.head() == head)
  }
}
