import ReleaseModel

extension AnswerSheet {
  /// Holds what a format's clients conclude from its documents against what is decided, for every known version on every
  /// system that makes a difference.
  ///
  /// - Returns: Where a client hears less than was decided, or something else on its system or later.
  /// - Throws: `ExportFinding` where it would hear more than was decided, or open another page.
  func compare(_ documents: [Document], with format: some DocumentFormat) throws(ExportFinding)
    -> [ExportFinding]
  {
    let files = Dictionary(documents.map { ($0.path, $0.bytes) }, uniquingKeysWith: { $1 })
    var wrong: [Version] = []
    var milder: [Version] = []
    var otherOnSystem: [Version] = []
    for release in known {
      func concluded(_ os: Version?) -> Conclusion {
        format.conclusion(from: files, app: app.slug, version: release.version, os: os) ?? Conclusion(.none)
      }
      let told = concluded(nil)
      let wanted = Conclusion(decide(release.version))
      if told.action > wanted.action || (told.action != .none && told.url != nil && told.url != wanted.url) {
        wrong.append(release.version)
      } else if told.action != wanted.action {
        milder.append(release.version)
      }
      var isOther = false
      for (index, _) in systems.enumerated() {
        let os = index == 0 ? Version.zero : systems[index - 1]
        let (told, wanted) = (concluded(os), Conclusion(decide(release.version, os: os)))
        if told.action == wanted.action, told.url == nil || told.url == wanted.url { continue }
        isOther = true
        // No device runs a release on a system that is too old for it.
        let mayRun = release.minOS.map { $0 <= os } ?? true
        if mayRun, told.action == .force { wrong.append(release.version) }
      }
      if isOther { otherOnSystem.append(release.version) }
    }
    if !wrong.isEmpty {
      throw ExportFinding(
        "export.wrong", app: app.slug, format: format.name, versions: wrong,
        "its clients would be told more than was decided, or sent elsewhere")
    }
    var findings: [ExportFinding] = []
    if !milder.isEmpty {
      findings.append(
        ExportFinding(
          "export.milder", app: app.slug, format: format.name, versions: milder,
          "its clients are told less than was decided, to be on the safe side"))
    }
    if !otherOnSystem.isEmpty {
      findings.append(
        ExportFinding(
          "export.no-systems", app: app.slug, format: format.name, versions: otherOnSystem,
          "it cannot tell systems apart: devices with an older one are told what newer ones are"))
    }
    return findings + times(format)
  }

  /// What a format that knows no times has to say of answers that change by themselves.
  private func times(_ format: some DocumentFormat) -> [ExportFinding] {
    guard !format.saysTimes, nextChange != nil else { return [] }
    let changing = known.compactMap { release in
      answer(to: release.version).until.map { (version: release.version, until: $0) }
    }
    guard let first = changing.map(\.until).min() else { return [] }
    return [
      ExportFinding(
        "export.no-times", app: app.slug, format: format.name, versions: changing.map(\.version),
        "it cannot say until when it holds: export again at \(first.text)")
    ]
  }
}

extension Conclusion {
  /// What a client does that understands all of a decision.
  init(_ decision: Decision) { self.init(decision.action, url: decision.url) }
}
