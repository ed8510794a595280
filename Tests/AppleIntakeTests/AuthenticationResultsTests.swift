import AppleIntake
import Testing

@Suite struct AuthenticationResultsTests {
  private let good = "dkim=pass header.d=email.apple.com; dmarc=pass header.from=email.apple.com"

  private func verdict(_ header: String) -> ServerFailure? {
    do {
      let message = try RawMessage(Array((header + "\r\nSubject: x\r\n\r\n").utf8))
      try ServerVerdict.requirePass(of: message, by: "mx.example.com", for: "email.apple.com")
      return nil
    } catch let failure as ServerFailure {
      return failure
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  private func results(_ value: String) -> String { "Authentication-Results: \(value)" }

  @Test(arguments: [
    "mx.example.com; dkim=pass header.d=email.apple.com; dmarc=pass header.from=email.apple.com",
    "mx.example.com 1; dkim=pass header.i=@email.apple.com; dmarc=pass header.from=email.apple.com;",
    " (c) MX.Example.com (d(e)) ;dkim = pass (2048) header.d = Email.Apple.com header.i=x@email.apple.com;dmarc=PASS (p=REJECT) header.from=email.apple.com",
    "\"mx.example.com\"; dkim=fail header.d=example.net; dkim/1=pass header.d=\"email.apple.com\" header.b=\"a=;b\"; spf=none; dmarc=pass action=none header.from=email.apple.com",
    "mx.example.com;\r\n dkim=pass reason=\"good; dkim=fail\" header.d=email.apple.com;\r\n\tdmarc=pass header.from=email.apple.com",
    "mx.example.com; dkim=pass header.i=\"a b\"@email.apple.com; dmarc=pass header.from=email.apple.com",
  ])
  func `a pass of DKIM and DMARC for the domain is accepted`(value: String) {
    #expect(verdict(results(value)) == nil)
  }

  /// What is refused, by the failure; DKIM and DMARC stand for the words of a method that passed for the domain.
  private static let refused: [(failure: ServerFailure, values: [String])] = [
    (
      .noDKIMPass,
      [
        "MX; none",
        "MX",
        "MX;",
        "MX; DMARC",
        "MX; dkim=fail header.d=email.apple.com; DMARC",
        "MX; dkim=passed header.d=email.apple.com; DMARC",
        "MX; dkim=pass; DMARC",
        "MX; dkim=pass header.d=apple.com; DMARC",
        "MX; dkim=pass header.d=x.email.apple.com; DMARC",
        "MX; dkim=pass header.d=example.net header.i=@email.apple.com; DMARC",
        "MX; DKIM header.d=example.net; DMARC",
        "MX; dkim=pass header.i=@email.apple.com@example.net; DMARC",
        "MX; dkim=fail (DKIM); DMARC",
        "MX; dkim=fail reason=\"x; DKIM\"; DMARC",
        "MX; x-DKIM; DMARC",
      ]
    ),
    (
      .noDMARCPass,
      [
        "MX; DKIM",
        "MX; DKIM; dmarc=fail header.from=email.apple.com",
        "MX; DKIM; dmarc=pass header.from=apple.com",
        "MX; DKIM; dmarc=pass",
        "MX; DKIM DMARC",
      ]
    ),
    (
      .contradiction,
      [
        "MX; DKIM; DMARC; dmarc=fail header.from=email.apple.com",
        "MX; DKIM; DMARC; dmarc=pass header.from=example.net",
        "MX; DKIM; DMARC; dkim=fail header.d=email.apple.com",
        "MX; DKIM; DMARC; dkim=temperror header.i=x@email.apple.com",
        "MX; DKIM; DMARC; dkim=none",
      ]
    ),
    (
      .namelessResults,
      ["spf=pass (x) smtp.mailfrom=email.apple.com; DKIM; DMARC action=none", "DKIM; DMARC"]
    ),
    (
      .malformedResults,
      [
        "MX 2; DKIM; DMARC",
        "MX DKIM; DMARC",
        "MX; DKIM; DMARC (",
        "MX; DKIM; DMARC \"",
        "MX; DKIM, DMARC",
        "MX; =pass; DMARC",
      ]
    ),
    (.noResults, ["MX.example.net; DKIM; DMARC", "other; MX; DKIM; DMARC", "(MX) other; DKIM; DMARC", ""]),
  ]

  @Test func `any other results are refused with their failure`() {
    for (failure, values) in AuthenticationResultsTests.refused {
      for value in values {
        let full = value.replacing("DKIM", with: "dkim=pass header.d=email.apple.com")
          .replacing("DMARC", with: "dmarc=pass header.from=email.apple.com")
          .replacing("MX", with: "mx.example.com")
        #expect(verdict(results(full)) == failure, "\(full)")
      }
    }
  }

  @Test func `fields of the server count together, and any one may contradict`() {
    let checks = ["dmarc=pass header.from=email.apple.com", "spf=pass", "dkim=pass header.d=email.apple.com"]
    func fields(_ values: [String]) -> String {
      values.map { results("mx.example.com; \($0)") }.joined(separator: "\r\n")
    }
    #expect(verdict(fields(checks)) == nil)
    #expect(verdict(fields(checks.reversed())) == nil)
    #expect(verdict(fields([good, good])) == nil)
    #expect(verdict(fields(Array(checks.prefix(2)))) == .noDKIMPass)
    #expect(verdict(fields(Array(checks.suffix(2)))) == .noDMARCPass)
    for other in [
      "dmarc=fail header.from=email.apple.com", "dkim=fail header.d=email.apple.com", "dkim=none",
    ] {
      #expect(verdict(fields(checks + [other])) == .contradiction, "\(other)")
      #expect(verdict(fields([other] + checks)) == .contradiction, "\(other)")
    }
    #expect(verdict(fields(checks + ["x y"])) == .malformedResults)
    // Another server's words make up for nothing.
    #expect(verdict(fields(Array(checks.prefix(2))) + "\r\n" + results("other; \(checks[2])")) == .noDKIMPass)
    #expect(verdict(results(good) + "\r\n" + fields(checks)) == nil)
  }

  @Test func `every field of the server must be above every foreign Received`() {
    let own = results("mx.example.com; \(good)")
    let ours = "Received: from x (x [192.0.2.1]) by mx.example.com with SMTP; date"
    let foreign = "Received: from y by relay.example.net; date"
    #expect(verdict("\(ours)\r\n\(own)\r\n\(foreign)") == nil)
    #expect(verdict("Received: (c) by (d) MX.EXAMPLE.COM; date\r\n\(own)") == nil)
    #expect(verdict("\(results("other; dkim=fail"))\r\n\(own)\r\n\(foreign)") == nil)
    #expect(verdict("\(own)\r\n\(foreign)\r\n\(own)") == .belowForeignReceived)
    #expect(verdict("\(own)\r\n\(foreign)\r\n\(results("mx.example.com garbage"))") == .belowForeignReceived)
    #expect(verdict("\(foreign)\r\n\(own)") == .belowForeignReceived)
    for trick in [
      "from by mx.example.com by relay.example.net", "from x (by mx.example.com) by relay.example.net",
      "from x via by by mx.example.com",
      "for by mx.example.com", "by mx.example.com.example.net", "", "from x", "by (",
    ] {
      #expect(verdict("Received: \(trick); date\r\n\(own)") == .belowForeignReceived, "\(trick)")
    }
  }

  @Test func `a mail without the field is refused as having no results`() {
    #expect(verdict("X: y") == .noResults)
    #expect(verdict("ARC-Authentication-Results: i=1; mx.example.com; \(good)") == .noResults)
  }
}
