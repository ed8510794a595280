import Crypto

struct Page {
  let title: String
  let heading: Markup
  let lead: Markup
  let sections: [(id: Markup, title: Markup, body: Markup)]
  var up: Markup = ""
  let moment: String
  let head: ReportHead
  var hasScript = false

  /// Its policy lets it load nothing, and run and apply only the script and style that it contains,
  /// identified by their hashes (Content Security Policy Level 3, §2.3.1).
  var bytes: [UInt8] {
    let style = Stylesheet.text
    let script = hasScript ? SearchScript.text : ""
    let scripts: Markup = hasScript ? "script-src '\(Page.hash(script))'; " : ""
    let ending: Markup = hasScript ? "<script>\(script)</script>\n" : ""
    let links = sections.map { section -> Markup in
      "<li><a href=\"#\(section.id)\">\(section.title)</a></li>"
    }
    let navigation: Markup =
      sections.count < 2 && up == ""
      ? "" : "<nav aria-label=\"On this page\"><ul>\(up)\(links)</ul></nav>\n"
    let opening: Markup = """
      \(PageMark.head(of: head.ledger))
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \(scripts)style-src '\(Page.hash(style))'; base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      <style>\(style)</style>
      </head>
      <body>
      <a class="skip" href="#main">Skip to the contents</a>
      <header>
      <h1>\(heading)</h1>
      \(lead)</header>
      \(navigation)<main id="main" tabindex="-1">

      """
    // A long history makes a large page, so it is put together once, at the end.
    var bytes = Array(opening.html.utf8)
    for section in sections {
      let title: Markup = """
        <section aria-labelledby="\(section.id)">
        <h2 id="\(section.id)">\(section.title)</h2>

        """
      bytes += title.html.utf8
      bytes += section.body.html.utf8
      bytes += "</section>\n".utf8
    }
    let closing: Markup = """
      </main>
      <footer>
      <p>As of \(Markup.time(moment)) UTC, and of event \(head.seq) of the ledger, whose hash is <code>\(head.hash)</code>. All times are UTC. Made by pawl.</p>
      </footer>
      \(ending)</body>
      </html>

      """
    bytes += closing.html.utf8
    return bytes
  }

  private static func hash(_ text: Markup) -> String {
    "sha256-\(Base64.encode(SHA256.digest(of: Array(text.html.utf8))))"
  }
}
