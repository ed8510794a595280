package import JSON
import Platform
package import ReleaseModel
import SQLite

/// When sources of evidence were last heard from: a file beside the ledger, since a poll may record nothing.
extension Ledger {
  private static let heardLimit = 1 << 20

  /// Notes that a source was heard from, and what it says was uploaded last; called in this process's turn.
  ///
  /// - Throws: `SystemError`.
  package func noteHeard(
    _ app: String, _ source: EvidenceSourceName, at now: Timestamp, country: String? = nil,
    uploaded: UploadedBuild? = nil
  ) throws {
    guard !connection.isInMemory else { return }
    var heard = heardFile()
    var words = heard[app]?.object ?? JSON.Object()
    words[source.rawValue] = .string(now.text)
    if let country { words["\(source.rawValue) \(country)"] = .string(now.text) }
    if let uploaded {
      words["uploaded"] = ["build": .string(uploaded.build.text), "version": .string(uploaded.version.text)]
    }
    heard[app] = .object(words)
    let rights = try FileStatus(of: connection.path).rights & 0o666
    try publishFile(
      JSON.object(heard).bytes() + [0x0A], as: connection.path + Companion.heard.rawValue, rights: rights,
      replaces: true)
  }

  /// When each source of an app was last heard from; a source that never was is left out.
  package func heard(of app: String) throws -> [EvidenceSourceName: Timestamp] {
    let kept = heardFile()[app]
    var last: [EvidenceSourceName: Timestamp] = [:]
    for source in EvidenceSourceName.allCases {
      let recorded = try first(
        "SELECT max(received_at) FROM evidence_row WHERE app = ? AND kind = ?", .text(app),
        .text(source.rawValue)
      ) { row in try row.isNull(0) ? nil : try row.text(0) }
      let words = [recorded ?? nil, kept?[source.rawValue]?.string]
      last[source] = words.compactMap { $0.flatMap { try? Timestamp($0) } }.max()
    }
    return last
  }

  /// The countries whose stores were asked about an app since a moment.
  package func countriesAsked(about app: String, since moment: Timestamp) throws -> Set<String> {
    let recorded = try lookups(of: app).filter { moment <= $0.receivedAt }.compactMap(\.country)
    let heard = (heardFile()[app]?.object?.members ?? []).compactMap { member -> String? in
      let at = member.value.string.flatMap { try? Timestamp($0) }
      return member.key.hasPrefix("lookup ") && at.map { moment <= $0 } == true
        ? String(member.key.dropFirst(7)) : nil
    }
    return Set(recorded + heard)
  }

  /// The versions of an app that Apple is known to have approved or to serve, and the ledger does not know.
  package func unknownVersionsShown(of app: String) throws -> [Version] {
    try inbox().filter { $0.app == app && $0.closesVersion }.compactMap(\.version)
  }

  /// The build of an app that was uploaded last, as far as App Store Connect was asked; nil if no one knows.
  package func uploadedBuild(of app: String) -> UploadedBuild? {
    let kept = heardFile()[app]?["uploaded"]
    return UploadedBuild(version: kept?["version"]?.string, build: kept?["build"]?.string)
  }

  private func heardFile() -> JSON.Object {
    read(.heard, limit: Ledger.heardLimit).flatMap { try? JSON(parsing: $0) }?.object ?? JSON.Object()
  }
}

/// The last word from a source of evidence.
package struct SourceWord: Sendable, Equatable {
  package let source: EvidenceSourceName
  package let last: Timestamp?
  package let isExpected: Bool
  package let isSilent: Bool

  /// The word as `status` shows it.
  package func json(now: Timestamp) -> JSON {
    [
      "ageSeconds": .optional(last.map { max(0, now.seconds - $0.seconds) }), "expected": .bool(isExpected),
      "last": .optional(last?.text), "silent": .bool(isSilent), "source": .string(source.rawValue),
    ]
  }
}

extension Ledger {
  /// The last word from each source of an app that was ever heard from or is expected.
  package func sourceWords(of line: AppState, now: Timestamp) throws -> [SourceWord] {
    let heard = try heard(of: line.app.slug)
    return EvidenceSourceName.allCases.compactMap { source in
      let isExpected = line.app.expect.contains(source.rawValue)
      guard isExpected || heard[source] != nil else { return nil }
      return SourceWord(
        source: source, last: heard[source], isExpected: isExpected,
        isSilent: isExpected && !line.app.isRetired && line.isSilent(source, last: heard[source], now: now))
    }
  }
}

extension AppState {
  fileprivate func isSilent(_ source: EvidenceSourceName, last: Timestamp?, now: Timestamp) -> Bool {
    guard !source.isAsked else { return last.map { $0 + source.patience < now } ?? true }
    // Apple reports these states, and nothing else: silence since one of them counts, but for what was taken over.
    let told = releases.filter {
      [.inReview, .approved, .rejected].contains($0.state) || $0.state == .live && $0.former != nil
    }
    guard let happened = told.map(\.since).max() else { return false }
    return happened + source.patience < now && (last.map { $0 < happened } ?? true)
  }
}

extension [SourceWord] {
  /// The silent sources, as findings that someone should look at.
  package func findings(app: String, now: Timestamp) -> [Finding] {
    filter(\.isSilent).map { word in
      let silence = word.last.map { "not reported for \((now - $0).roundedText)" } ?? "never reported"
      return Finding("source.silent/\(word.source.rawValue)", app: app, ["silence": silence])
    }
  }
}
