import JSON
import ReleaseModel

/// The shape of Apple's own lookup, with the fields that any of its clients reads.
struct LookupFormat: DocumentFormat {
  var name: String { "lookup" }

  /// The value for any system, in a mandatory field.
  static let anySystem = "1.0"

  /// A version that no client is below, however it compares: one component, since some clients take more of
  /// them to be newer.
  static let nobodysVersion = Version.zero

  /// The release date to state in a mandatory field if nobody is told of a release.
  private static let noDate = Timestamp(seconds: 0)

  func documents(for sheet: AnswerSheet) -> (documents: [Document], warnings: [ExportFinding]) {
    guard let appleID = sheet.app.appleID else {
      return sheet.isNotFor(name, "its clients ask by the Apple ID, and the app has none")
    }
    let thresholds = Thresholds(sheet.lineWithoutSystem(), sheet)
    // Clients take the first result without checking whether there is one.
    let json: JSON = ["resultCount": 1, "results": [result(thresholds, sheet, appleID)]]
    let document = Document(path: path(sheet.app.slug), bytes: json.bytes())
    let announced = thresholds?.announced ?? LookupFormat.nobodysVersion
    let misread = Comparator.ofLookup.flatMap { comparator in
      sheet.misread(
        sheet.known.map(\.version).filter { comparator.misreads($0, announced) }, by: comparator, format: name
      )
    }
    let warnings = thresholds.map { self.warnings($0, sheet) } ?? []
    return ([document], misread + warnings + sheet.componentCounts(format: name, mixed: true))
  }

  private func path(_ slug: String) -> String { "\(name)/\(slug).json" }

  private func result(_ thresholds: Thresholds?, _ sheet: AnswerSheet, _ appleID: Int64) -> JSON {
    let app = sheet.app
    let title = JSON.string(app.name ?? app.slug)
    let dates = sheet.snapshot.line.releases.compactMap(\.liveAt)
    let date = thresholds?.target.liveAt ?? dates.max() ?? LookupFormat.noDate
    let url = thresholds?.url ?? storePage(of: appleID)
    return [
      "artistId": 0, "artistName": title, "bundleId": .string(app.bundleID),
      "currentVersionReleaseDate": .string(date.text),
      // Notes may contain anything, so they are kept out of the text that clients search for the forced
      // version.
      "description": .string(thresholds?.forced.map { "[:mav: \($0.text)]" } ?? ""),
      "fileSizeBytes": "0", "kind": "software",
      "minimumOsVersion": .string(thresholds?.target.minOS?.text ?? LookupFormat.anySystem),
      "releaseDate": .string((dates.min() ?? date).text),
      "releaseNotes": .string(thresholds?.target.note(for: nil) ?? ""), "screenshotUrls": [],
      // Some clients open the page of this number, so where people are sent to another app, it is that app's
      // number.
      "sellerName": title, "trackId": .integer(storeID(of: url) ?? appleID), "trackName": title,
      "trackViewUrl": .string(url),
      "version": .string((thresholds?.announced ?? LookupFormat.nobodysVersion).text),
      "wrapperType": "software",
    ]
  }

  private func warnings(_ thresholds: Thresholds, _ sheet: AnswerSheet) -> [ExportFinding] {
    func warning(id: String, _ versions: [Version], _ message: String) -> [ExportFinding] {
      versions.isEmpty
        ? [] : [ExportFinding(id, app: sheet.app.slug, format: name, versions: versions, message)]
    }
    let prompted = sheet.known.map(\.version).filter { $0 < thresholds.announced }
    return warning(
      id: "export.other-page", storeID(of: thresholds.url) != nil ? [] : prompted,
      "clients that open the page of trackId, Siren for one, do not go to \(thresholds.url)")
      + warning(
        id: "export.no-systems", silencedBySystem(thresholds, sheet),
        "clients that look at minimumOsVersion are told nothing on older systems")
  }

  /// The versions that are prompted on systems older than the one the document names.
  private func silencedBySystem(_ thresholds: Thresholds, _ sheet: AnswerSheet) -> [Version] {
    guard let needed = thresholds.target.minOS else { return [] }
    let older = [Version.zero] + sheet.systems.filter { $0 < needed }
    return sheet.known.map(\.version).filter { version in
      older.contains { sheet.decide(version, os: $0).action != .none }
    }
  }

  func clients(of documents: [String: [UInt8]], app: String) -> [DocumentClient] {
    guard let bytes = documents[path(app)], let json = try? JSON(parsing: bytes),
      let results = json["results"]?.array, let result = results.first,
      json["resultCount"]?.integer == Int64(results.count),
      result["trackId"]?.integer != nil, result["minimumOsVersion"]?.string != nil,
      result["currentVersionReleaseDate"]?.string != nil, let url = result["trackViewUrl"]?.string,
      let newest = result["version"]?.string.flatMap({ try? Version($0) })
    else { return [.blind(path(app))] }
    let forced = LookupFormat.forced(result["description"]?.string ?? "")
    // Not every client looks at minimumOsVersion, so it protects nobody.
    let client = DocumentClient(path: path(app), bounds: [newest, forced].compactMap(\.self)) { version in
      { _ in
        if let forced, version < forced { return Conclusion(.force, url: url) }
        return version < newest ? Conclusion(.remind, url: url) : Conclusion(.none)
      }
    }
    return [client]
  }

  /// The version in `[:mav: 1.10.0]`.
  private static func forced(_ description: String) -> Version? {
    guard description.hasPrefix("[:mav:"), let end = description.firstIndex(of: "]") else { return nil }
    let text = description[..<end].dropFirst("[:mav:".count).filter { $0 != " " }
    return try? Version(String(text))
  }
}
