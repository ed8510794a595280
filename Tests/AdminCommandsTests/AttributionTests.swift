import JSON
import Testing

@testable import AdminCommands

@Suite struct AttributionTests {
  private let shell: Shell

  init() throws { shell = try Shell() }

  private func actor(_ environment: [String: String], _ words: String = "") throws -> JSON {
    shell.environment = environment
    let seq = try shell.done("trust host h\(environment.count)-\(words.count).example.com --json \(words)")
      .json
    return try #require(try shell.done("show \(seq["event"]?.integer ?? 0) --json").json["actor"])
  }

  @Test func `values from the environment lose control characters and are cut to a limit`() throws {
    let found = try actor([
      "PAWL_PRINCIPAL": "al\u{1B}[31mi\nce\u{202E}\u{200B}",
      "PAWL_ACTOR": String(repeating: "ü", count: 5_000),
    ])
    #expect(found["principal"] == "al[31mice")
    #expect((found["claimed"]?.string?.utf8.count ?? 0) == 1_000)
    #expect(try actor(["PAWL_PRINCIPAL": " \n"])["principal"] == .null)
  }
}
