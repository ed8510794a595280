import Crypto
import Testing

@testable import HTMLReport

@Suite struct PageTests {
  private static func page(ledger: String = "0123", hasScript: Bool) -> String {
    String(
      decoding: Page(
        title: "</title><script>", heading: "Taxi", lead: "", sections: [("a", "A", "<p>a</p>\n")],
        moment: "2027-01-15T12:00:00Z", head: ReportHead(ledger: ledger, seq: 3, hash: "ff"),
        hasScript: hasScript
      ).bytes, as: UTF8.self)
  }

  private static func inside(_ tag: String, _ page: String) -> String? {
    guard let start = page.range(of: "<\(tag)>"), let end = page.range(of: "</\(tag)>") else { return nil }
    return String(page[start.upperBound..<end.lowerBound])
  }

  @Test(arguments: [true, false])
  func `the policy lets in the very style and script that the page holds`(hasScript: Bool) throws {
    let page = PageTests.page(hasScript: hasScript)
    for tag in hasScript ? ["style", "script"] : ["style"] {
      let text = try #require(PageTests.inside(tag, page))
      let hash = Base64.encode(SHA256.digest(of: Array(text.utf8)))
      #expect(page.contains("\(tag)-src 'sha256-\(hash)';"))
    }
    #expect(page.contains("content=\"default-src 'none'; "))
    #expect(page.contains("<script>") == hasScript && page.contains("script-src") == hasScript)
    #expect(page.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"))
  }

  @Test func `a page is known by its first bytes, and by whose it is`() {
    func owner(_ text: String) -> String? {
      PageMark.ledger(of: Array(text.utf8.prefix(PageMark.length)))
    }
    #expect(owner(PageTests.page(hasScript: true)) == "0123")
    #expect(owner(PageTests.page(ledger: "", hasScript: true)) == "")
    #expect(owner(PageTests.page(ledger: String(repeating: "a", count: 300), hasScript: true)) == nil)
    #expect(owner("") == nil)
    #expect(owner("<!DOCTYPE html>\n<title>mine</title>") == nil)
    #expect(owner(" " + PageTests.page(hasScript: true)) == nil)
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
