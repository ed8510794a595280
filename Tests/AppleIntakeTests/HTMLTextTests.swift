import AppleIntake
import Testing

@Suite struct HTMLTextTests {
  @Test(arguments: [
    ("<p>a</p>b<br>c", ["a", "b", "c"]),
    ("<tr><td>App Name:</td><td> Taxi\n </td></tr>", ["App Name:", "Taxi"]),
    ("a<b>b</b>c", ["abc"]), ("a &amp; b &#39;c&#x27; &nbsp; d&bogus; &", ["a & b 'c' d&bogus; &"]),
    ("Caf&eacute; &Uuml;&yuml;&euro;", ["Café Üÿ€"]),
    ("<style>p > b { }</style>a<script>if (1 < 2) \"</p>\"</script>b", ["ab"]),
    ("<!-- <p>hidden</p> -->a", ["a"]), ("<head><title>t</title></head><body>a", ["a"]),
    ("1 < 2 <3 a<", ["1 < 2 <3 a<"]), ("<script>never closed", []), ("<!-- never closed", []),
    ("<a href='x", []),
    ("<P CLASS=\"a>b\">x</P>", ["x"]),
    ("&#0;&#1114112;&#xD800;&#99999999999;", ["\u{FFFD}\u{FFFD}\u{FFFD}&#99999999999;"]),
    ("a\u{A0}b\u{200B}c", ["a b c"]), ("<?xml version='1.0'?>a", ["a"]), ("", []),
  ])
  func `blocks and cells become lines`(html: String, lines: [String]) {
    #expect(HTMLText(html).lines == lines)
  }

  @Test(arguments: [
    ("<a href=\"https://x.example/?a=1&amp;b=2\">", ["https://x.example/?a=1&b=2"]),
    ("<a class=c href='u' href='v'>", ["u"]),
    ("<A\n TARGET=_blank\n HREF = u >", ["u"]), ("<a/href=u>", ["u"]), ("<link href=u><area href=v>", []),
    ("<a title=\"href='w'\" href=u>", ["u"]), ("<a href>", []), ("<a href=\"a>b\">", ["a>b"]),
  ])
  func `links keep their targets`(html: String, links: [String]) {
    #expect(HTMLText(html).links == links)
  }
}
