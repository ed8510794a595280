import AppleIntake
import MailCorpus
import Testing

@Suite struct ForgeryTests {
  private func refusal(_ bytes: [UInt8], _ trust: MailTrust) -> String {
    let message: RawMessage
    do { message = try RawMessage(bytes) } catch { return error.rawValue }
    let examination = MailExamination(message, trust: trust, now: World.now)
    switch examination.proof {
    case .failure(let failure): return failure.id
    case .success:
      switch examination.notice?.kind {
      case .unclear(let doubt)?: return doubt
      case .other(let matter)?: return matter.rawValue
      case .namesNoVersion?: return "names-no-version"
      case .status?, nil: return "accepted"
      }
    }
  }

  @Test func `there are at least 80 forgeries, each with its own name`() {
    #expect(Forgeries.all.count >= 80)
    #expect(Set(Forgeries.all.map(\.name)).count == Forgeries.all.count)
  }

  @Test(arguments: Forgeries.all)
  func `a forged or malformed mail is not accepted by its signature`(forgery: Forgery) throws {
    let world = try #require(World.shared)
    var examination: MailExamination?
    let time = ContinuousClock().measure { examination = examine(forgery.bytes, world.bySignature) }
    #expect(!isAccepted(examination))
    #expect(time < .seconds(20))
    if let why = forgery.why {
      let refusal = refusal(forgery.bytes, world.bySignature)
      #expect(refusal.hasPrefix(why), "\(refusal)")
    }
  }

  @Test func `a mail that claims to be Apple's is distinguished from one that does not`() throws {
    func claims(_ from: String) throws -> Bool {
      AppleSender.isClaimed(by: try RawMessage(Array("From: \(from)\n\n".utf8)))
    }
    for from in [
      "no_reply@email.apple.com", "\"App Store Connect\" <x@example.net>",
      "=?UTF-8?B?QXBwbGU=?= <x@example.net>",
      "x@emai1.Apple.com", "x@example.net\nFrom: no_reply@email.apple.com", "garbage apple garbage",
    ] {
      #expect(try claims(from), "\(from)")
    }
    for from in ["x@example.net", "", "Newsletter <news@example.com>"] {
      #expect(try !claims(from), "\(from)")
    }
  }
}
