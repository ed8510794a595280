import JSON
import ReleaseModel

/// The shape of Apple's own lookup, with the fields that any of its clients reads.
struct LookupFormat: DocumentFormat {
  var name: String { "lookup" }

  /// For a mandatory field.
  static let anySystem = "1.0"

  /// A version that no client is below, however it compares: one component, since some clients take more of
  /// them to be newer.
  static let leastVersion = Version.zero

  /// The release date to state in a mandatory field if no one is told of a release.
  private static let noDate = Timestamp(seconds: 0)

  func documents(for answers: AppAnswers) -> (documents: [Document], warnings: [ExportFinding]) {
    guard let appleID = answers.app.appleID else {
      return answers.isNotFor(name, "its clients ask by the Apple ID, and the app has none")
    }
    let thresholds = Thresholds(answers, answers.decideWithoutSystem)
    let announced = thresholds?.announced ?? LookupFormat.leastVersion
    // Clients take the first result without checking whether there is one.
    let json: JSON = ["resultCount": 1, "results": [result(thresholds, announced, answers, appleID)]]
    let document = Document(path: path(answers.app.slug), bytes: json.bytes())
    let misread = Comparator.ofLookup.flatMap { comparator in
      answers.misread(by: comparator, format: name) { _ in [announced] }
    }
    let warnings = thresholds.map { self.warnings($0, answers) } ?? []
    return ([document], misread + warnings + answers.componentCounts(format: name, mixed: true))
  }

  private func result(
    _ thresholds: Thresholds?, _ announced: Version, _ answers: AppAnswers, _ appleID: Int64
  ) -> JSON {
    let app = answers.app
    let title = JSON.string(app.name ?? app.slug)
    let dates = answers.snapshot.line.releases.compactMap(\.liveAt)
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
      "version": .string(announced.text), "wrapperType": "software",
    ]
  }

  private func warnings(_ thresholds: Thresholds, _ answers: AppAnswers) -> [ExportFinding] {
    let prompted = answers.known.map(\.version).filter { $0 < thresholds.announced }
    let isElsewhere = storeID(of: thresholds.url) == nil
    let below = VersionRange(from: .least, to: VersionKey(thresholds.announced)).map { [$0] } ?? []
    let silenced = silencedBySystem(thresholds, answers)
    return answers.finding(
      "export.other-page", name, versions: isElsewhere ? prompted : [], ranges: isElsewhere ? below : [],
      "clients that open the page of trackId, as Siren does, do not go to \(thresholds.url)")
      + answers.finding(
        "export.no-systems", name, versions: silenced.versions, ranges: silenced.ranges,
        "clients that check minimumOsVersion tell \(silenced.names) nothing on systems below "
          + "\(thresholds.target.minOS?.text ?? "")")
  }

  /// The versions that are prompted on systems older than the one the document names.
  private func silencedBySystem(_ thresholds: Thresholds, _ answers: AppAnswers) -> VersionGroup {
    guard let needed = thresholds.target.minOS else { return VersionGroup() }
    let older = [Version.zero] + answers.snapshot.systems.filter { $0 < needed }
    var group = VersionGroup()
    answers.eachStep { step, known in
      if older.contains(where: { step.value.told.decision(on: $0).action != .none }) {
        group.add(step, known)
      }
    }
    return group
  }

  func clients(of documents: [String: [UInt8]], app: String, at moment: Timestamp) -> [DocumentClient] {
    guard let bytes = documents[path(app)], let json = try? JSON(parsing: bytes),
      let results = json["results"]?.array, let result = results.first,
      json["resultCount"]?.integer == Int64(results.count),
      result["trackId"]?.integer != nil, result["minimumOsVersion"]?.string != nil,
      result["currentVersionReleaseDate"]?.string != nil, let url = result["trackViewUrl"]?.string,
      let newest = result["version"]?.string.flatMap({ try? Version($0) })
    else { return [.bounded(path(app), [])] }
    // Not every client looks at minimumOsVersion, so it protects no one.
    let forced = LookupFormat.forced(result["description"]?.string ?? "")
    return [.bounded(path(app), [Bounds(forced: forced, announced: newest, url: url)])]
  }

  /// The version in `[:mav: 1.10.0]`.
  private static func forced(_ description: String) -> Version? {
    guard description.hasPrefix("[:mav:"), let end = description.firstIndex(of: "]") else { return nil }
    let text = description[..<end].dropFirst("[:mav:".count).filter { $0 != " " }
    return try? Version(String(text))
  }
}
