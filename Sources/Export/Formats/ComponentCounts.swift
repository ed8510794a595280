import ReleaseModel

extension AnswerSheet {
  /// The warning that clients of a format disagree about some versions because of their number of components.
  ///
  /// - Parameter mixed: Whether some clients take 1.0 and 1.0.0 for different versions.
  func componentCounts(format: String, mixed: Bool) -> [ExportFinding] {
    let most = usualComponents
    let found = released.map(\.version).filter { $0.count > 3 || (mixed && $0.count != most) }
    guard !found.isEmpty else { return [] }
    return [
      ExportFinding(
        "export.component-counts", app: app.slug, format: format, versions: found,
        mixed
          ? "its clients do not agree on versions of other than the usual number of components; three are safe"
          : "some of its clients drop the fourth component, others fail; three are safe")
    ]
  }
}
