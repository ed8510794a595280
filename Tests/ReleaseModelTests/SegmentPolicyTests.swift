import ReleaseModel
import Testing

@Suite struct SegmentPolicyTests {
  @Test func `the standard policy is force, remind, none`() {
    #expect(SegmentPolicy.standard.text == "force,remind,none")
    #expect(SegmentPolicy("force,remind,none") == .standard)
  }

  @Test(arguments: [
    ("1.2.3", "2", Action.force), ("1.2.3", "1.3", .remind), ("1.2.3", "1.2.4", .none),
    ("1.2", "1.2.0", .none),
    ("1.2.3.4", "1.2.3.5", .none), ("1.9", "1.10", .remind), ("1", "1.0.1", .none),
    ("1.9.9", "2.9.9", .force),
    ("0.0.1", "1.0.1", .force),
  ])
  func `the first component to differ decides`(client: String, target: String, action: Action) throws {
    #expect(try SegmentPolicy.standard.action(client: version(client), target: version(target)) == action)
  }

  @Test func `the last action repeats`() throws {
    let all = try #require(SegmentPolicy("remind"))
    let two = try #require(SegmentPolicy("force,remind"))
    let four = try #require(SegmentPolicy("none,none,none,force"))
    for (one, other) in [("1", "2"), ("1.1", "1.2"), ("1.1.1", "1.1.2"), ("1.1.1.1", "1.1.1.2")] {
      #expect(try all.action(client: version(one), target: version(other)) == .remind)
    }
    #expect(try two.action(client: version("1.1.1.1"), target: version("1.1.1.2")) == .remind)
    #expect(try two.action(client: version("1.1.1.1"), target: version("2.1.1.1")) == .force)
    #expect(try four.action(client: version("1.1.1.1"), target: version("1.1.1.2")) == .force)
    #expect(try four.action(client: version("1.1.1"), target: version("1.1.2")) == .none)
  }

  @Test(arguments: [
    "", ",", "force,", ",force", "force,,none", "Force", "force remind", "force, remind", "prompt",
    "remind,remind,remind,remind,remind",
  ])
  func `text that is not a policy is refused`(text: String) {
    #expect(SegmentPolicy(text) == nil)
  }

  @Test func `every policy reads back from its text`() throws {
    let actions: [Action] = [.none, .remind, .force]
    for first in actions {
      for second in actions {
        for third in actions {
          let text = [first, second, third].map(\.rawValue).joined(separator: ",")
          #expect(try #require(SegmentPolicy(text)).text == text)
        }
      }
    }
  }
}
