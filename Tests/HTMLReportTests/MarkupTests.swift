import CommandLineKit
import Crypto
import Testing

@testable import HTMLReport

@Suite struct MarkupTests {
  @Test(arguments: [
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("\"><img src=x onerror='a'>", "&quot;&gt;&lt;img src=x onerror=&#39;a&#39;&gt;"),
    ("&amp;", "&amp;amp;"),
    ("moc.\u{202E}elpmaxe", "moc.\\u{202E}elpmaxe"),
    ("a\u{0}b\u{1B}[31mc\u{9B}d\u{7F}", "a\\u{0}b\\u{1B}[31mc\\u{9B}d\\u{7F}"),
    ("one\r\ntwo\rthree\nfour\r\n\r\nfive", "one\ntwo\nthree\nfour\n\nfive"),
    ("\u{2028}\u{2066}\u{FEFF}\u{FFFF}", "\n\\u{2066}\\u{FEFF}\\u{FFFF}"),
    ("zero\u{200B}width \u{E0041}", "zero\\u{200B}width \\u{E0041}"),
    ("👩\u{200D}🚀 日本 café", "👩\u{200D}🚀 日本 café"),
  ])
  func `text from outside is escaped`(text: String, html: String) {
    #expect(("<p title=\"\(text)\">\(text)</p>" as Markup).html == "<p title=\"\(html)\">\(html)</p>")
    #expect(Markup.said(text).html == "<bdi>\(html)</bdi>")
  }

  @Test func `markup within markup stays as it is`() {
    let inner: Markup = "<b>\("<")</b>"
    #expect(
      ("<p>\(inner)\([inner, inner])\(3)</p>" as Markup).html
        == "<p><b>&lt;</b><b>&lt;</b><b>&lt;</b>3</p>")
  }

  @Test func `a heading has the class of its column, a cell its title, and an empty column is left out`() {
    var page = ReportPage(ledger: "0123", title: "Page", lead: "")
    page.add("Numbers", Table(columns: ["NAME", .right("COUNT"), "NONE"], rows: [["a<b", "1,234", "–"]]))
    let html = String(decoding: page.bytes, as: UTF8.self)
    #expect(html.contains("<th scope=\"col\">NAME</th><th scope=\"col\" class=\"number\">COUNT</th></tr>"))
    #expect(html.contains("<td class=\"number\" data-title=\"COUNT\"><bdi>1,234</bdi></td></tr>"))
  }

  @Test func `the policy of a page allows only the style that the page contains`() throws {
    let page = String(
      decoding: ReportPage(ledger: "0123", title: "</title><script>", lead: "").bytes, as: UTF8.self)
    let style = try #require(page.firstMatch(of: /(?s)<style>(.*)<\/style>/)).1
    let hash = Base64.encode(SHA256.digest(of: Array(style.utf8)))
    #expect(page.contains("content=\"default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none';"))
    #expect(page.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"))
  }
}
