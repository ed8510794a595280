package import CommandLineKit
import Crypto

/// One self-contained page: it loads nothing, runs nothing, and reads well in light, in dark and on paper.
package struct ReportPage {
  /// How a page says that pawl made it, and for which ledger, so that no other file is ever mistaken for one.
  private static func mark(_ ledger: String) -> Markup {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="generator" content="pawl report of ledger \(ledger)">

    """
  }

  /// Whether the first bytes of a file are those of a page about a ledger.
  package static func isPage(_ bytes: [UInt8], ofLedger ledger: String) -> Bool {
    bytes.starts(with: mark(ledger).html.utf8)
  }

  /// The most bytes that `isPage` looks at.
  package static let markLength = 256

  private let ledger: String
  private let title: String
  private var links: Markup = ""
  private var body: Markup

  /// - Parameters:
  ///   - ledger: The ledger's id.
  ///   - lead: What the page is about, below its heading.
  package init(ledger: String, title: String, lead: Markup) {
    (self.ledger, self.title) = (ledger, title)
    body = "<h1>\(title)</h1>\n\(lead)"
  }

  /// Begins a section, to which the top of the page has a link.
  ///
  /// - Parameter id: The section's name in a link: letters, digits and hyphens.
  package mutating func begin(_ heading: String, id: String) {
    links += "<li><a href=\"#\(id)\">\(heading)</a></li>"
    body += "<h2 id=\"\(id)\">\(heading)</h2>\n"
  }

  /// Adds paragraphs to the section.
  package mutating func add(_ markup: Markup) { body += markup }

  /// Adds a table with its caption; nothing if it has no rows. A column that says nothing in any row is left out.
  package mutating func add(_ caption: String, _ table: Table) {
    let shown = table.columns { column in
      table.rows.contains { ReportPage.says($0, column) }
    }
    guard !shown.rows.isEmpty else { return }
    let titles = shown.columns.map { column -> Markup in
      "<th scope=\"col\"\(ReportPage.kind(of: column) ?? "")>\(column.title)</th>"
    }
    let hasTitles = !shown.columns.allSatisfy(\.title.isEmpty)
    let head: Markup = hasTitles ? "<thead><tr>\(titles)</tr></thead>\n" : ""
    let kind: Markup = hasTitles ? "" : " class=\"facts\""
    body += "<table\(kind)><caption>\(caption)</caption>\n\(head)<tbody>\n"
    for row in shown.rows {
      let cells = zip(shown.columns, row).enumerated().map { place, pair -> Markup in
        let (column, cell) = pair
        let kind = ReportPage.kind(of: column) ?? ReportPage.kind(of: cell.style)
        guard place > 0 else { return "<th scope=\"row\"\(kind)>\(Markup.said(cell.text))</th>" }
        // On a narrow screen each row stands for itself, and its cells after their titles.
        let title: Markup = column.title.isEmpty ? "" : " data-title=\"\(column.title)\""
        let silence: Markup = ReportPage.says(row, place) ? "" : " data-empty"
        return "<td\(kind)\(title)\(silence)>\(Markup.said(cell.text))</td>"
      }
      body += "<tr>\(cells)</tr>\n"
    }
    body += "</tbody></table>\n"
  }

  /// Whether a row says anything in a column.
  private static func says(_ row: [Cell], _ column: Int) -> Bool {
    row.indices.contains(column) && !["", "–"].contains(row[column].text)
  }

  /// What stands on the right, under a heading that does.
  private static func kind(of column: Column) -> Markup? { column.isRight ? " class=\"number\"" : nil }

  private static func kind(of style: Style) -> Markup {
    switch style {
    case .red: " class=\"red\""
    case .green: " class=\"green\""
    case .yellow: " class=\"yellow\""
    case .blue: " class=\"blue\""
    case .dim: " class=\"soft\""
    case .plain, .bold: ""
    }
  }

  /// The page; its policy allows no more than its own style, by its hash (Content Security Policy Level 3, 2.3.1).
  package var bytes: [UInt8] {
    let style = ReportPage.style
    let hash = Base64.encode(SHA256.digest(of: Array(style.html.utf8)))
    let page: Markup = """
      \(ReportPage.mark(ledger))<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <style>\(style)</style>
      </head>
      <body>
      <nav aria-label="On this page"><ul>\(links)</ul></nav>
      <main>
      \(body)</main>
      </body>
      </html>

      """
    return Array(page.html.utf8)
  }

  /// Colours convey nothing that words do not; every text has a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3).
  private static let style: Markup = """
    :root{color-scheme:light dark;--paper:#fbfaf7;--ink:#1c1d21;--soft:#5a5d66;--line:#dddad3;--link:#1f4fa3;\
    --red:#a3231f;--yellow:#7a4f00;--green:#1d6138}
    @media (prefers-color-scheme:dark){:root{--paper:#15171b;--ink:#e8e6e1;--soft:#a5a8b0;--line:#3a3e46;\
    --link:#9dbdf5;--red:#ffb4ab;--yellow:#f2cd84;--green:#a3dab5}}
    *{box-sizing:border-box}
    body{margin:0;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;\
    background:var(--paper);color:var(--ink)}
    nav,main{max-width:76rem;margin:0 auto;padding:0 1.25rem}
    nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:1rem 0 0;padding:0 0 .65rem;\
    border-bottom:1px solid var(--line)}
    a{color:var(--link)}
    h1{font-size:1.8rem;line-height:1.2;margin:1.5rem 0 .4rem}
    h2{font-size:1.3rem;margin:2.5rem 0 .5rem}
    p{margin:.4rem 0}h1,h2,p,li,caption{overflow-wrap:anywhere}
    table{border-collapse:collapse;width:100%;margin:1rem 0 1.5rem;font-size:.92rem;\
    font-variant-numeric:tabular-nums}
    caption{text-align:left;font-weight:600;padding:.3rem 0}
    th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-top:1px solid var(--line);\
    overflow-wrap:anywhere}
    thead th{font-size:.8rem;color:var(--soft);border-top:0;overflow-wrap:normal}
    tbody th{font-weight:600}
    .number{text-align:right;white-space:nowrap}
    .soft{color:var(--soft)}.red{color:var(--red)}.yellow{color:var(--yellow)}.green{color:var(--green)}.blue{color:var(--link)}
    code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9em;overflow-wrap:anywhere}
    @media screen and (max-width:44rem){nav,main{padding:0 .9rem}thead,[data-empty]{display:none}\
    table,caption,tbody,tr,th,td{display:block}tr{border-top:1px solid var(--line);padding:.4rem 0}\
    .facts tr{display:grid;grid-template-columns:8.5rem 1fr;gap:.6rem}\
    th,td,.number{border:0;padding:.1rem 0;text-align:left;white-space:normal}\
    td[data-title]{display:grid;grid-template-columns:8.5rem 1fr;gap:.6rem}\
    td[data-title]::before{content:attr(data-title);color:var(--soft);font-size:.8rem;line-height:1.9}}
    @media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--link:#000;--red:#000;\
    --yellow:#000;--green:#000}
    body{font-size:9pt}nav{display:none}nav,main{max-width:none;padding:0}
    thead{display:table-header-group}tr{break-inside:avoid}h2,caption{break-after:avoid}@page{margin:15mm}}
    """
}

/// HTML that is safe to write: literals in the source are taken as they are, and every other text is escaped.
///
/// No text from outside this program can get in unescaped, so escaping cannot be forgotten. Attributes are in
/// double quotes.
package struct Markup: Sendable, Equatable, ExpressibleByStringInterpolation {
  package private(set) var html: String

  package init(stringLiteral literal: StaticString) { html = literal.description }

  package init(stringInterpolation parts: StringInterpolation) { html = parts.html }

  /// Appends a piece.
  package static func += (markup: inout Markup, piece: Markup) { markup.html += piece.html }

  /// The pieces of a literal with values in between.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      html.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Takes a literal as it is.
    package mutating func appendLiteral(_ literal: StaticString) { html += literal.description }
    /// Takes a text, escaped.
    package mutating func appendInterpolation(_ text: String) { html += Markup.escaped(text) }
    /// Takes markup as it is.
    package mutating func appendInterpolation(_ markup: Markup) { html += markup.html }
    /// Takes pieces of markup one after another.
    package mutating func appendInterpolation(_ markup: [Markup]) {
      for piece in markup { html += piece.html }
    }
    /// Takes a number.
    package mutating func appendInterpolation(_ number: Int64) { html += String(number) }
  }

  /// A text that HTML cannot act on, printable as everywhere; its lines stay lines.
  private static func escaped(_ text: String) -> String {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var result = ""
    for scalar in lines.map({ printable(String($0)) }).joined(separator: "\n").unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension DefaultStringInterpolation {
  /// Markup in a text would be escaped as if someone had typed it; the compiler refuses it instead.
  @available(*, unavailable, message: "this literal is a text; say that it is Markup")
  package mutating func appendInterpolation(_ markup: Markup) {}
}

extension Markup {
  /// A text from the ledger, kept from changing the direction of the text around it.
  package static func said(_ text: String) -> Markup { "<bdi>\(text)</bdi>" }
}
