import Export
import JSON
import Platform
import ReleaseModel
import Testing

@Suite struct GoldenTests {
  private static let folder =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    + "/Golden"

  // What is signed is what v1 has.
  @Test(arguments: ExportFormats.all.filter { !$0.isSigned }.map(\.name), Sample.allCases)
  func `the documents are those of the golden file`(name: String, sample: Sample) throws {
    let written = Written(try format(name), try sample.stage().answers())
    var text = ""
    for (path, bytes) in written.documents.sorted(by: { $0.key < $1.key }) {
      text += "== \(path)\n\(String(decoding: bytes, as: UTF8.self))\n"
    }
    for finding in written.warnings { text += "== warning: \(finding.json.text())\n" }
    if let refusal = written.refusal { text += "== refused: \(refusal.json.text())\n" }
    let path = "\(GoldenTests.folder)/\(name)/\(sample.rawValue).txt"
    if environment("UPDATE_GOLDEN") == "1" {
      _ = try? makeDirectory("\(GoldenTests.folder)/\(name)", rights: 0o755)
      removeFile(path)
      try publishFile(Array(text.utf8), as: path, rights: 0o644, replaces: true)
    }
    #expect(try String(decoding: readFile(path, limit: 1 << 20), as: UTF8.self) == text)
  }
}
