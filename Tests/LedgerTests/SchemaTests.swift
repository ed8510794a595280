import Ledger
import Platform
import Schema
import Testing

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The repository this file is in.
private let repository = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
  .joined(separator: "/")

@Suite struct SchemaTests {
  /// What a shipped migration adds up to, so that a change of one is noticed: no ledger would open.
  private static let shipped: [(name: String, sha256: String)] = [
    ("v0001-create-ledger", "21fb7e1e5501190fdf079ac9fd498383437df1fc1e160d0f7039f2d00d269dc0"),
    ("v0002-create-releases", "8c2c2faebb755afe50654056b0c3c0992a4f6cc03addcf4bd2deba0c92ba0b0a"),
    ("v0003-create-rules", "ea869f77896457c6e4dccadaada795ad0f2deddfef5aec1b3c586fa10c7ef2d4"),
    ("v0004-create-evidence", "2294f8bbc38c4d2076b1e8f729ead9dcee7e1f170519480f160e59b982bf52a6"),
    ("v0005-create-answers", "c2472d6947fddc05ffab261783f7f86ad9fe1f7f5ce3c1c58e409bde58610310"),
    ("v0006-create-past", "c4e0082eb7b68eb974bbf661dd65b170b107c360224858a5f41da0d6a7a1de1f"),
    ("v0007-create-plan", "1c4fcff76ab4a501465ca432a3d46a8c5cf50626808994a3d4f2574d2b626ef6"),
    ("v0008-find-releases", "62549f5567f19adefc86b7ea1b99bf09fc771deab4f00fcbe3c41c5c0c53ed82"),
    ("v0009-live-beside-past", "08068a430240bf6d9221c889ce0eabce31afb3f1209767fd93880854fb1c87a3"),
  ]

  @Test func `the schema file is what a fresh ledger has; UPDATE_GOLDEN=1 writes it anew`() throws {
    let fresh = try Ledger.inMemory(now: noon).schemaText()
    let path = repository + "/db/schema.sql"
    if environment("UPDATE_GOLDEN") == "1" {
      removeFile(path)
      try createFile(path, rights: 0o644)
      let descriptor = open(path, O_WRONLY)
      defer { close(descriptor) }
      try writeAll(fresh, to: descriptor, path: path)
      return
    }
    #expect(String(decoding: fresh, as: UTF8.self) == String(decoding: Schema.text, as: UTF8.self))
    #expect(try readFile(path, limit: 1 << 20) == Schema.text)
  }

  @Test func `the list of migrations is the directory, in order and without gaps`() throws {
    let folder = repository + "/db/migrations"
    let stream = try #require(opendir(folder))
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    #expect(names.sorted() == Schema.steps.map { $0.name + ".sql" })
    #expect(Schema.steps.map(\.version) == Array(1...Schema.steps.count))
    #expect(Schema.currentVersion == Schema.steps.count)
    for step in Schema.steps {
      #expect(try readFile("\(folder)/\(step.name).sql", limit: 1 << 20) == step.sql, "\(step.name)")
      let number = String(step.version)
      #expect(step.name.hasPrefix("v" + String(repeating: "0", count: 4 - number.count) + number + "-"))
    }
  }

  @Test func `a migration that was shipped is never altered`() {
    #expect(Schema.steps.map(\.name) == Self.shipped.map(\.name))
    for (step, shipped) in zip(Schema.steps, Self.shipped) {
      // The digest a request gives a file is SHA-256 in hexadecimal.
      #expect(Recording.digest(of: step.sql) == shipped.sha256, "\(step.name)")
    }
  }
}
