package import JSON

extension Effect {
  /// What a preview says about a version from some moment on.
  private struct Said: Hashable {
    let at: Timestamp
    let before: String
    let after: String
    let urlBefore: String?
    let urlAfter: String?
  }

  /// A line of a preview about known versions.
  private struct Line {
    let app: String
    let first: Version
    let last: Version
    let said: Said

    init?(json: JSON) {
      guard let app = json["app"]?.string, let (first, last) = json["versions"]?.string.flatMap(Version.span),
        let at = json["at"]?.string.flatMap({ try? Timestamp($0) }), let before = json["before"]?.string,
        let after = json["after"]?.string
      else { return nil }
      (self.app, self.first, self.last) = (app, first, last)
      said = Said(
        at: at, before: before, after: after, urlBefore: json["urlBefore"]?.string,
        urlAfter: json["urlAfter"]?.string)
    }
  }

  /// Whether a preview worked out at the same moment says the same about each known version as this effect.
  ///
  /// A line without known versions is about devices that run unrecorded versions, which an effect does not
  /// cover.
  package func agrees(with preview: JSON, made: Timestamp) -> Bool {
    let known = (preview.array ?? []).filter { $0["count"]?.integer != 0 }
    let lines = known.compactMap(Line.init(json:))
    guard preview.array != nil, lines.count == known.count else { return false }
    let wanted = Dictionary(grouping: runs, by: \.app)
    let found = Dictionary(grouping: lines, by: \.app)
    return Set(wanted.keys).union(found.keys).allSatisfy { app in
      let (runs, lines) = (wanted[app] ?? [], found[app] ?? [])
      let marks = Set(runs.flatMap { [$0.first, $0.last] } + lines.flatMap { [$0.first, $0.last] })
      return marks.allSatisfy { mark in
        let run = runs.first { $0.first <= mark && mark <= $0.last }
        let said = lines.filter { $0.first <= mark && mark <= $0.last }.map(\.said)
        return Set(said) == Set(run.map { Effect.lines($0.steps, made: made) } ?? [])
      }
    }
  }

  /// The lines that a preview shows for one version's steps: each difference once, for as long as it lasts.
  private static func lines(_ steps: [Step], made: Timestamp) -> [Said] {
    var lines: [Said] = []
    var last: [String?]?
    for moment in course(steps, changedAt: made) {
      let pages = (moment.before.url, moment.after.url)
      let difference = [moment.before.action.rawValue, moment.after.action.rawValue, pages.0, pages.1]
      if moment.before.action == moment.after.action, pages.0 == pages.1 {
        last = nil
        continue
      }
      guard difference != last else { continue }
      last = difference
      lines.append(
        Said(
          at: moment.at, before: moment.before.action.rawValue, after: moment.after.action.rawValue,
          urlBefore: pages.0, urlAfter: pages.1))
    }
    return lines
  }
}
