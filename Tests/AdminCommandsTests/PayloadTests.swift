import JSON
import ReleaseModel
import TestSupport
import Testing

@testable import AdminCommands

@Suite struct PayloadTests {
  private let shell: Shell

  init() throws {
    shell = try Shell.taxi()
    try shell.tell("past taxi 1.0 1.1 1.2\nforce taxi below:1.2 --reason bug --yes")
  }

  @Test(arguments: PushService.allCases)
  func `with nothing forced there is no message`(service: PushService) throws {
    // They are still reminded, which is no reason to wake anybody; a stopped app forces nobody.
    try shell.tell(
      """
      lift taxi 1 --yes
      check taxi 1.0 → action=remind
      payload taxi --for \(service.rawValue) → 1 payload.nothing-forced
      force taxi 1.0 --reason bug --yes
      payload taxi --for \(service.rawValue)
      stop taxi --reason wait
      payload taxi --for \(service.rawValue) → 1 payload.nothing-forced
      """)
  }

  @Test func `a member that is given twice is refused`() throws {
    try shell.tell(
      "payload taxi --for apns --data a=1 --data a=2 → 64\npayload taxi --for apns --data a=1 --data b=1")
  }

  @Test(arguments: PushService.allCases)
  func `three hundred forced versions fit into a message of 4,096 bytes`(service: PushService) throws {
    let past = (0..<301).map { number in
      let released = Timestamp(seconds: noon.seconds - Int64(400 - number) * 86_400)
      return "\(202_600 + number).\(100_000 + number).\(number),\(released.text)\n"
    }
    let other = try Shell.taxi()
    try other.directory.write("version,released_at\n" + past.joined(), to: "past")
    try other.tell("import taxi @past --yes\nforce taxi below:202900.100300.300 --reason bug --yes")
    let ran = try other.done("payload taxi --for \(service.rawValue) --topic everybody")
    #expect(ran.out.utf8.count <= 4_096)
    let data = ran.json["message"]?["data"] ?? ran.json["message"]?["extras"] ?? ran.json
    #expect(data["versions"]?.string == "202600.100000.0..202899.100299.299")
  }
}
