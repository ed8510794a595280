import ReleaseModel

extension AppAnswers {
  /// No documents, and the reason: the format has no clients for such an app.
  func isNotFor(_ format: String, _ reason: String) -> (documents: [Document], warnings: [ExportFinding]) {
    (
      [],
      [
        ExportFinding(
          "export.not-for-app", app: app.slug, format: format, "no '\(format)' documents: \(reason)")
      ]
    )
  }
}

/// Apple's number for the app whose store page a URL is; nil for any other page.
func storeID(of url: String) -> Int64? {
  guard let page = try? StoreURL(url), StoreURL.storeHosts.contains(page.host) else { return nil }
  let path = url.prefix { $0 != "?" && $0 != "#" }
  guard let last = path.split(separator: "/").last, last.hasPrefix("id") else { return nil }
  let digits = last.dropFirst(2)
  guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
  return Int64(digits)
}

func storePage(of id: Int64) -> String { "https://apps.apple.com/app/id\(id)" }
