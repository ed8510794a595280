import JSON
import TestSupport
import Testing

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
    try shell.directory.write(Self.csv(rows), to: "flags")
    try shell.tell(
      """
      \(first)
      import taxi @flags --flags → confirm.required
      import taxi @flags --flags --yes → rows.#=40
      export @out --format flags
      import taxi @flags --flags --yes → same changed=false
      verify
      """)
    for row in rows {
      let isInReview = row.flags.hasSuffix("1")
      let path = "out/flags/taxi/\(isInReview ? "default" : row.version).json"
      let body = try #require(try shell.json(path)["body"])
      let isUpdated = row.flags.hasPrefix("Y") && !isInReview
      #expect(body["hasNewVersion"]?.string == (isUpdated ? "1" : "0"), "\(row)")
      #expect(body["needUpgrade"]?.string == (isUpdated && row.flags.hasPrefix("Y,Y") ? "1" : "0"), "\(row)")
      #expect(body["review"]?.string == (isInReview ? "1" : "0"), "\(row)")
      if isUpdated, !row.page.isEmpty { #expect(body["downloadUrl"]?.string == row.page, "\(row)") }
    }
    // The rows are the reason, and there are fewer rules than rows.
    let rules = try #require(try shell.done("rules taxi --json").json["rules"]?.array)
    #expect(rules.count < 30 && rules.last?["reason"]?.string?.hasPrefix("line ") == true)
  }

  @Test func `the newest version is told nothing, whatever its row says`() throws {
    try Self.shell().tell(
      #"""
      import taxi - --flags --yes < "version,updated,force_updated\n1.0,Y,Y\n1.1,Y,Y\n"
      check taxi 1.1 → decidedBy=current
      check taxi 1.0 → action=force
      """#)
  }

  @Test(arguments: [
    (",updated\\n", "line 1: its header has column 'updated' twice"),
    ("\\n1.0,N,Y\\n", "line 2: 1.0 is force_updated but not updated"),
    ("\\n1.0,Y,maybe\\n", "line 2: force_updated is neither Y nor N"),
    ("\\n1.0,Y\\n", "line 2: it has 2 fields where the header has 3"),
    ("\\nv1,Y,N\\n", "line 2: invalid version 'v1': 'v' is not a digit"),
    ("\\n1.0,Y,N\\n1.0.0,N,N\\n", "line 3: 1.0.0 is in line 2 already"),
    (",review\\n9.0,N,N,0\\n", "line 2: 9.0 is prepared, and review says otherwise; nothing was recorded"),
  ])
  func `a table that says nothing, or what cannot be, is refused as a whole`(rows: String, why: String) throws
  {
    try Self.shell().tell(
      """
      publish taxi 9.0 --yes
      import taxi - --flags --yes < "version,updated,force_updated\(rows)" → 65 "message=cannot import '-': \(why)"
      import taxi - --flags --yes < "version,updated\\n1.0,Y\\n" → 65 import.unusable-file
      import taxi - --flags --yes < "version,updated,force_updated,download_url\\n10.0,Y,N,http://example.com\\n11.0,N,N,\\n" → url.scheme
      import taxi - --flags --yes < "version,updated,force_updated,review\\n11.0,N,N,0\\n10.0,N,N,1\\n" → 1
      """)
  }
}
