import JSON
import Testing

@testable import AdminCommands

@Suite struct AttributionTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  private func actor(_ environment: [String: String], _ words: String = "") throws -> JSON {
    shell.environment = environment
    let seq = try shell.done("trust host h\(environment.count)-\(words.count).example.com --json \(words)")
      .json
    return try #require(try shell.done("show \(seq["event"]?.integer ?? 0) --json").json["actor"])
  }

  @Test(arguments: [
    ("https://user:canary@git.example.com/a", "https://git.example.com/a"),
    ("https://canary@git.example.com", "https://git.example.com"),
    ("https://git.example.com/a@b", "https://git.example.com/a@b"), ("no address@all", "no address@all"),
    ("https://", "https://"),
  ])
  func `the user name and password are removed from an address`(address: String, wanted: String) {
    #expect(ContinuousIntegration.withoutCredentials(address) == wanted)
  }

  @Test func `values from the environment lose control characters and are cut to a limit`() throws {
    let found = try actor([
      "PAWL_PRINCIPAL": "al\u{1B}[31mi\nce\u{202E}\u{200B}",
      "PAWL_ACTOR": String(repeating: "ü", count: 5_000),
      "SSH_CONNECTION": "\u{7}",
    ])
    #expect(found["principal"] == "al[31mice")
    #expect((found["claimed"]?.string?.utf8.count ?? 0) == 1_000)
    #expect(found["ssh"] == .null)
    #expect(try actor(["PAWL_PRINCIPAL": " \n"])["principal"] == .null)
  }
}
