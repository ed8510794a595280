import ReleaseModel

extension AppAnswers {
  /// The warning that clients of a format disagree about some versions because of their number of components.
  ///
  /// - Parameter mixed: Whether some clients take 1.0 and 1.0.0 for different versions.
  func componentCounts(format: String, mixed: Bool) -> [ExportFinding] {
    let most = usualComponents
    let found = released.map(\.version).filter { $0.count > 3 || (mixed && $0.count != most) }
    let names = ExportFinding.named(found)
    return finding(
      "export.component-counts", format, versions: found,
      mixed
        ? "clients do not agree on versions of other than the usual number of components, such as \(names); "
          + "three are safe"
        : "some clients drop the fourth component of \(names), others fail; three are safe")
  }
}
