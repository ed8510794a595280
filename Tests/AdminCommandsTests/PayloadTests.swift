import JSON
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

/// The messages of `payload`, as each service takes them.
@Suite struct PayloadTests {
  /// A ledger whose app has two forced releases.
  private static func forced() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell("past taxi 1.0 1.1 1.2\nforce taxi below:1.2 --reason bug --yes")
    return shell
  }

  @Test func `JPush gets a silent message for everybody, or for a tag`() throws {
    let shell = try PayloadTests.forced()
    let message = try shell.done("payload taxi --for jpush").json
    #expect(message["audience"] == "all" && message["options"]?["apns_production"] == true)
    let notification = message["notification"]?["ios"]
    #expect(keys(message["notification"]) == ["ios"], "a top-level alert would be shown")
    #expect(keys(notification) == ["alert", "content-available", "extras"], "no sound and no badge")
    let data: JSON = ["alert": "", "content-available": true, "extras": notification?["extras"] ?? .null]
    #expect(notification == data && message["message"]?["extras"] == notification?["extras"])
    try shell.tell(
      """
      payload taxi --for jpush --topic beta → audience.tag=[beta] message.extras.versions="1.0 1.1"
      payload taxi --for fcm --topic all --validate → validate_only=true message.topic=all
      """)
  }

  @Test func `an app that exists gets the names it expects, and test and production are apart`() throws {
    let shell = try PayloadTests.forced()
    let names = "--type mddy_needUpgrade --in page --data userTel=13800000000 --data a=b=c"
    let apple = try shell.done("payload taxi --for apns \(names)").json
    #expect(keys(apple) == ["aps", "page"])
    #expect(apple["page"]?["type"] == "mddy_needUpgrade" && apple["page"]?["userTel"] == "13800000000")
    #expect(apple["page"]?["a"] == "b=c")
    #expect(apple["page"]?["downloadUrl"] == "https://apps.apple.com/app/id1524608462")
    let jpush = try shell.done("payload taxi --for jpush --test \(names)").json
    #expect(jpush["options"]?["apns_production"] == false)
    #expect(jpush["notification"]?["ios"]?["extras"]?["page"] == apple["page"])
    #expect(jpush["message"]?["msg_content"] == "mddy_needUpgrade")
    // Firebase takes texts only.
    let fcm = try shell.done("payload taxi --for fcm \(names)").json["message"]?["data"]
    #expect(try JSON(parsing: #require(fcm?["page"]?.string).utf8) == apple["page"])
    for bad in ["userTel", "=x"] { #expect(shell.run("payload taxi --for apns --data \(bad)").status == 64) }
  }

  @Test func `the page is left to the documents where it differs by version`() throws {
    let shell = try PayloadTests.forced()
    try shell.done("trust host example.com")
    try shell.done("force taxi 1.0 --url https://example.com/why --reason bug --yes")
    let data = try shell.done("payload taxi --for apns").json
    #expect(data["versions"]?.string == "1.0 1.1")
    #expect(data.object.flatMap { $0["downloadUrl"] } == nil)
  }

  @Test func `with nothing forced there is no message`() throws {
    let shell = try PayloadTests.forced()
    try shell.done("lift taxi 1 --yes")
    // They are still reminded, which is no reason to wake anybody.
    #expect(try shell.done("check taxi 1.0 --json").json["action"]?.string == "remind")
    for service in PushService.allCases {
      let ran = shell.run("payload taxi --for \(service.rawValue) --json")
      #expect(ran.status == 1)
      #expect(ran.out == "")
      #expect(ran.errorID == "payload.nothing-forced")
    }
    try shell.done("force taxi 1.0 --reason bug --yes")
    #expect(try shell.done("payload taxi --for fcm").json["message"] != nil)
    // A stopped app forces nobody.
    try shell.done("stop taxi --reason wait")
    #expect(shell.run("payload taxi --for fcm").status == 1)
  }

  @Test func `three hundred forced versions fit into a message of 4,096 bytes`() throws {
    let shell = try Shell.taxi()
    var past = "version,released_at\n"
    for number in 0..<301 { past += "\(202_600 + number).\(100_000 + number).\(number),\(moment(number))\n" }
    try shell.directory.write(Array(past.utf8), to: "past.csv")
    try shell.done("import taxi \(shell.directory.file("past.csv")) --yes")
    try shell.done("force taxi below:202900.100300.300 --reason bug --yes")
    for service in PushService.allCases {
      let ran = try shell.done("payload taxi --for \(service.rawValue) --topic everybody")
      #expect(ran.out.utf8.count <= 4_096, "\(service): \(ran.out.utf8.count)")
      let data =
        ran.json["message"]?["data"] ?? ran.json["message"]?["extras"] ?? ran.json
      #expect(data["versions"]?.string == "202600.100000.0..202899.100299.299", "\(service)")
    }
  }

  /// A day for each of many releases.
  private func moment(_ number: Int) -> String {
    Timestamp(seconds: noon.seconds - Int64(400 - number) * 86_400).text
  }
}
