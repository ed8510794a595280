import JSON
import ReleaseModel

/// The shape of Apple's own lookup, with the fields that any of its clients asks for.
struct LookupFormat: DocumentFormat {
  var name: String { "lookup" }

  /// What stands for any system, in a field that must be there.
  static let anySystem = "1.0"

  func documents(
    for sheet: AnswerSheet
  ) throws(ExportFinding) -> (documents: [Document], warnings: [ExportFinding]) {
    guard let appleID = sheet.app.appleID else {
      return sheet.isNotFor(name, "its clients ask by the Apple ID, and the app has none")
    }
    let thresholds = try Thresholds.withoutSystem(sheet, format: name)
    let results = thresholds.map { [result($0, sheet, appleID)] } ?? []
    let json: JSON = ["resultCount": .integer(Int64(results.count)), "results": .array(results)]
    let document = Document(path: "\(name)/\(sheet.app.slug).json", bytes: json.bytes())
    let warnings = thresholds.map { self.warnings($0, sheet) } ?? []
    return ([document], warnings + sheet.componentCounts(format: name, mixed: true))
  }

  private func result(_ thresholds: Thresholds, _ sheet: AnswerSheet, _ appleID: Int64) -> JSON {
    let app = sheet.app
    let title = JSON.string(app.name ?? app.slug)
    let date = JSON.string((thresholds.target.liveAt ?? sheet.moment).text)
    let first = sheet.snapshot.line.releases.compactMap(\.liveAt).min()
    return [
      "artistId": 0, "artistName": title, "bundleId": .string(app.bundleID),
      "currentVersionReleaseDate": date,
      // Notes may hold anything, so they are kept out of the text that is searched for the forced version.
      "description": .string(thresholds.forced.map { "[:mav: \($0.text)]" } ?? ""),
      "fileSizeBytes": "0", "kind": "software",
      "minimumOsVersion": .string(thresholds.target.minOS?.text ?? LookupFormat.anySystem),
      "releaseDate": first.map { .string($0.text) } ?? date,
      "releaseNotes": .string(thresholds.target.note(for: nil) ?? ""), "screenshotUrls": [],
      "sellerName": title, "trackId": .integer(appleID), "trackName": title,
      "trackViewUrl": .string(thresholds.url), "version": .string(thresholds.announced.text),
      "wrapperType": "software",
    ]
  }

  private func warnings(_ thresholds: Thresholds, _ sheet: AnswerSheet) -> [ExportFinding] {
    func warning(id: String, _ versions: [Version], _ message: String) -> [ExportFinding] {
      versions.isEmpty
        ? [] : [ExportFinding(id, app: sheet.app.slug, format: name, versions: versions, message)]
    }
    let versions = sheet.known.map(\.version)
    let announced = thresholds.announced
    let prompted = versions.filter { sheet.decide($0).action != .none }
    return warning(
      id: "export.misread",
      versions.filter { SeedComparator.asDecimal($0, isBelow: announced) != ($0 < announced) },
      "clients that compare decimal numbers (1.10 is below 1.9) take these for older or newer than they are")
      + warning(
        id: "export.misread",
        versions.filter { SeedComparator.byAnyComponent($0, isBelow: announced) != ($0 < announced) },
        "clients that look for any greater component (2.1 is below 1.5) take these for older than they are")
      + warning(
        id: "export.other-page", sheet.isStorePage(thresholds.url) ? [] : prompted,
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

  func conclusion(
    from documents: [String: [UInt8]], app: String, version: Version, os: Version?
  ) -> Conclusion? {
    client(of: documents, app: app)(version, os)
  }

  func client(of documents: [String: [UInt8]], app: String) -> (Version, Version?) -> Conclusion? {
    guard let bytes = documents["\(name)/\(app).json"], let json = try? JSON(parsing: bytes),
      json["resultCount"]?.integer == json["results"]?.array.map({ Int64($0.count) })
    else { return { _, _ in nil } }
    guard let result = json["results"]?.array?.first else { return { _, _ in Conclusion(.none) } }
    guard result["trackId"]?.integer != nil, result["minimumOsVersion"]?.string != nil,
      result["currentVersionReleaseDate"]?.string != nil, let url = result["trackViewUrl"]?.string,
      let newest = result["version"]?.string.flatMap({ try? Version($0) })
    else { return { _, _ in nil } }
    let forced = LookupFormat.forced(result["description"]?.string ?? "")
    // Not every client looks at minimumOsVersion, so it protects nobody.
    return { version, _ in
      if let forced, version < forced { return Conclusion(.force, url: url) }
      return version < newest ? Conclusion(.remind, url: url) : Conclusion(.none)
    }
  }

  /// The version in `[:mav: 1.10.0]`.
  private static func forced(_ description: String) -> Version? {
    guard description.hasPrefix("[:mav:"), let end = description.firstIndex(of: "]") else { return nil }
    let text = description[..<end].dropFirst("[:mav:".count).filter { $0 != " " }
    return try? Version(String(text))
  }
}
