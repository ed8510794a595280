import JSON
import Ledger
import Platform
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

/// What is said of ledgers that earlier versions left, against what those versions said of them.
@Suite struct OldAnswersTests {
  /// The ledgers there are.
  static let versions =
    ((try? fileNames(in: folder)) ?? []).compactMap { name in
      name.hasPrefix("v") && name.hasSuffix(".db") ? Int(name.dropFirst().dropLast(3)) : nil
    }.sorted()

  private static let folder = "\(repository)/Tests/Fixtures/ledgers"

  private func shell(_ version: Int) throws -> Shell {
    let image = try readFile("\(OldAnswersTests.folder)/v\(version).db", limit: 1 << 24)
    let shell = try Shell(image: image, clock: Timestamp(seconds: 1_810_000_000))
    try shell.directory.setRights(0o640, of: "pawl.db")
    return shell
  }

  private func said(_ version: Int) throws -> JSON {
    try JSON(parsing: try readFile("\(OldAnswersTests.folder)/v\(version).json", limit: 1 << 24))
  }

  /// The first place where an answer lacks what was said; JSON only grows.
  private func difference(_ now: JSON?, _ then: JSON, at place: String) -> String? {
    guard let now else { return "\(place) is gone" }
    if let object = then.object {
      for member in object.members {
        if let found = difference(now[member.key], member.value, at: "\(place).\(member.key)") {
          return found
        }
      }
      return nil
    }
    if let array = then.array {
      guard let others = now.array, others.count == array.count else { return "\(place) has another length" }
      for (index, element) in array.enumerated() {
        if let found = difference(others[index], element, at: "\(place)[\(index)]") { return found }
      }
      return nil
    }
    return now == then ? nil : "\(place) was \(then.text()), is \(now.text())"
  }

  @Test(arguments: versions)
  func `every client is told what it was told`(version: Int) throws {
    let shell = try shell(version)
    let checks = try #require(try said(version)["checks"]?.array)
    #expect(checks.count > 10)
    for check in checks {
      let words = ["app", "version", "at"].map { check[$0]?.string ?? "" }
      let ran = shell.run(["check", words[0], words[1], "--at", words[2], "--json"])
      #expect(ran.status == 0, "\(ran.err)")
      let found = difference(ran.json, try #require(check["answer"]), at: words.joined(separator: " "))
      #expect(found == nil)
    }
  }

  @Test(arguments: versions)
  func `its past reads as it did`(version: Int) throws {
    let shell = try shell(version)
    let then = try #require(try said(version)["history"])
    let ran = shell.run("history --limit 10000 --json")
    #expect(ran.status == 0, "\(ran.err)")
    #expect(difference(ran.json["events"], then, at: "history") == nil)
  }

  @Test(arguments: versions)
  func `the answers it kept with requests can still be put into words`(version: Int) throws {
    let shell = try shell(version)
    try shell.done("trust host downloads.example.com")
    let ledger = try Ledger.open(shell.ledger, for: .reading, now: shell.clock)
    defer { ledger.close() }
    var count = 0
    try ledger.eachEvent(HistoryFilter()) { event in
      guard let text = event.answer else { return true }
      let answer = try JSON(parsing: text.utf8)
      count += 1
      #expect(throws: Never.self, "event \(event.seq)") {
        _ = try ChangeOutcome(json: answer)
        if answer["app"]?.object != nil { _ = try App(answer: answer) }
        if answer["release"] != nil { _ = try Owned<Release>?(answer: answer) }
        if answer["rule"] != nil { _ = try Owned<Rule>(answer: answer) }
        let _: [PreviewLine] = try answer.value("ifLive")
      }
      return true
    }
    #expect(count > 0)
  }

  @Test(arguments: versions)
  func `a request that was recorded is known again`(version: Int) throws {
    let shell = try shell(version)
    let request = try #require(
      try said(version)["history"]?.array?.compactMap { $0["requestId"]?.string }.first)
    let head = shell.head()
    let ran = shell.run("app add other --bundle-id com.example.other --request-id \(request) --json")
    #expect(ran.errorID == "request.reused", "\(ran.out)\(ran.err)")
    #expect(shell.head() == head)
  }

  @Test(arguments: versions.dropLast())
  func `an account that can only read it is told whom to ask`(version: Int) throws {
    let shell = try shell(version)
    try shell.directory.setRights(0o440, of: "pawl.db")
    let ran = shell.run("status --json")
    #expect(ran.status == 77 && ran.errorID == "ledger.older-schema")
  }
}
