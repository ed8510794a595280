import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

extension DocumentExport {
  /// Whether the directory is the one that the ledger's documents go to after every change.
  private func isOwn(_ ledger: Ledger, _ context: PawlContext) throws -> Bool {
    guard let own = try DocumentExport.directory(of: ledger, context)?.path else { return false }
    return DocumentExport.resolved(own) == DocumentExport.resolved(directory)
  }

  private static func resolved(_ path: String) -> String { (try? resolvedPath(path)) ?? path }

  /// Refuses to write something else into the ledger's own directory than every change writes there.
  func checkOwn(_ ledger: Ledger, _ asked: [String], _ context: PawlContext) throws {
    guard try isOwn(ledger, context) else { return }
    if purpose == .otherTime {
      throw CommandFailure("export.other-time", ["directory": directory])
    }
    let kept = try DocumentKey.named(for: ledger, context)
    let chosen = try DocumentExport.formats(of: ledger)?.map(\.name)
    var differs: [String] = []
    if !asked.isEmpty, let chosen, Set(chosen) != Set(asked) { differs.append("--format") }
    if !apps.isEmpty, try Set(ledger.apps().map(\.slug)) != apps { differs.append("--app") }
    if includesUnreleased { differs.append("--include-unreleased") }
    if let key, chosen != nil {
      if kept.map({ DocumentExport.resolved($0.path) }) != DocumentExport.resolved(key.path) {
        differs.append("--sign")
      } else if kept?.lifetime != key.lifetime {
        differs.append("--expire-in")
      }
    }
    guard let first = differs.first else { return }
    let words =
      (asked.isEmpty ? [] : asked.map { "--format \($0)" }) + (key.map { ["--sign \($0.path)"] } ?? [])
    let isSet = ["--format", "--sign", "--expire-in"].contains(first)
    throw CommandFailure(
      isSet ? "export.own-directory/set" : "export.own-directory",
      ["option": first, "words": words.joined(separator: " ")],
      details: ["directory": .string(directory), "options": differs.json])
  }

  /// Records that the ledger goes on where another file or another past of it spoke, after asking.
  ///
  /// - Returns: What was recorded; nil if the directory is the ledger's already.
  func takeOver(_ ledger: Ledger, _ options: ChangeOptions, _ context: PawlContext) throws -> JSON? {
    let agreement = try Agreement(ledger, isGiven: isAgreed)
    let standing = try DocumentExport.standing(in: directory, isAgreed: isAgreed, ledger, context)
    guard let standing, standing.owner != nil || standing.isForked else { return nil }
    let now = try ledger.now(clock: context.clock())
    let told = try Exporter.served(in: directory, agreement: agreement, at: now).map { served in
      ToldThere(app: served.app, versions: served.versions) { version in
        let conclusion = served.conclude(version)
        return (conclusion.action, conclusion.url)
      }
    }
    return try Changing(options, context).takeOver(
      resolvedPath(directory), above: standing.served, told, on: ledger, at: now)
  }
}

/// What clients of an app are told in a place that another ledger wrote.
struct ToldThere {
  let app: String
  var versions: [Version] = []
  let told: (Version) -> (action: Action, url: String?)

  /// What a ledger would tell instead at a moment.
  static func impact(of told: [ToldThere], on ledger: Ledger, at now: Timestamp) throws -> Impact {
    try Impact(
      told.map { there in
        let snapshot = try ledger.generation(of: there.app) > 0 ? ledger.snapshot(there.app) : nil
        let decider = snapshot.map { Decider($0, at: now) }
        let versions = there.versions + (snapshot?.line.releases.map(\.version) ?? [])
        return Impact(on: there.app, versions, at: now, before: there.told) { version in
          let decision = decider?.decide(Client(version: version))
          return (decision?.action ?? .none, decision?.url)
        }
      })
  }
}

extension Changing {
  /// Records that the ledger goes on where something else spoke, after asking; shows what a dry run would do.
  ///
  /// - Parameter served: The highest number that clients were told of.
  func takeOver(
    _ place: String, above served: Int64, _ told: [ToldThere], on ledger: Ledger, at now: Timestamp
  ) throws -> JSON {
    let impact = try ToldThere.impact(of: told, on: ledger, at: now)
    let recorded = try ledger.record(
      recording(), confirm: { try confirm($0) }, body: { try $0.takeOver(place, above: served, impact) },
      answer: { _ in [] })
    if options.isDryRun {
      try options.common.print(recorded.json, context) {
        "Dry run: nothing was recorded.\n" + Preview.text(impact.lines, context)
      }
    }
    return recorded.json
  }
}
