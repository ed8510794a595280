package import ReleaseModel

/// The page that leads to the apps' pages.
package struct IndexPage: Sendable {
  package static let fileName = "index.html"

  private let head: ReportHead
  private let moment: Timestamp
  private var rows: [[Markup]] = []

  package init(at moment: Timestamp, head: ReportHead) {
    self.moment = moment
    self.head = head
  }

  /// - Parameter hasPage: Whether there is a page to lead to.
  package mutating func add(_ summary: AppSummary, hasPage: Bool) {
    let app = summary.app
    let name = Markup.said(summary.name)
    let link: Markup = hasPage ? "<a href=\"\(AppReport.fileName(app.slug))\">\(name)</a>" : name
    let stopped: Markup = app.silence.map { " <span class=\"tag force\">\($0)</span>" } ?? ""
    rows.append([
      "\(link)\(stopped)", "<code>\(app.slug)</code>", "\(app.platform.rawValue), \(app.channel.rawValue)",
      summary.place, summary.onItsWay,
      "\(summary.armedRules)", "\(summary.releases)",
    ])
  }

  package var bytes: [UInt8] {
    var table = Table(
      "apps", caption: "Apps by slug",
      [
        "App", "Slug", "Platform, channel", "Clients are sent to", "Under way (UTC)",
        .number("Rules in force"), .number("Releases"),
      ])
    for row in rows { table.add(row) }
    let body: Markup = rows.isEmpty ? "<p>There are no apps yet.</p>\n" : table.markup
    return Page(
      title: "Releases", heading: "Releases",
      lead: "<p class=\"soft\">Every app in the release ledger.</p>\n",
      sections: [("apps-title", "Apps", body)], moment: moment.text, head: head
    ).bytes
  }
}
