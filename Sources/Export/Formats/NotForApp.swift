import ReleaseModel

extension AnswerSheet {
  /// No documents, and why: the format has no clients for such an app.
  func isNotFor(_ format: String, _ reason: String) -> (documents: [Document], warnings: [ExportFinding]) {
    ([], [ExportFinding("export.not-for-app", app: app.slug, format: format, reason)])
  }

  /// Whether a page is the app's own in Apple's store, which clients make of the Apple ID.
  func isStorePage(_ url: String) -> Bool {
    guard let id = app.appleID, let page = try? StoreURL(url), StoreURL.storeHosts.contains(page.host) else {
      return false
    }
    let path = url.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").last.map { $0 == "id\(id)" } ?? false
  }
}
