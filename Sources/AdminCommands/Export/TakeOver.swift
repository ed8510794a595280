import CommandLineKit
import Export
import JSON
import Ledger
import Platform
import ReleaseModel

extension DocumentExport {
  static func resolved(_ path: String) -> String { (try? resolvedPath(path)) ?? path }

  /// Refuses to write something else into the ledger's own directory than every change writes there.
  ///
  /// The ledger's own key, named without a lifetime, keeps the one that it has.
  mutating func checkOwn(
    _ ledger: Ledger, _ asked: [String], isLifetimeGiven: Bool, _ context: PawlContext
  ) throws {
    let (own, directory) = (try DocumentExport.directory(of: ledger, context)?.path, exporter.root)
    guard let own, DocumentExport.resolved(own) == DocumentExport.resolved(directory) else { return }
    if exporter.purpose == .otherTime {
      throw CommandFailure("export.other-time", ["directory": directory])
    }
    let kept = try DocumentKey.named(for: ledger, context)
    let chosen = try DocumentExport.formats(of: ledger)?.map(\.name)
    var differs: [String] = []
    if !asked.isEmpty, let chosen, Set(chosen) != Set(asked) { differs.append("--format") }
    let apps = exporter.apps
    if !apps.isEmpty, try Set(ledger.apps().map(\.slug)) != apps { differs.append("--app") }
    if exporter.includesUnreleased { differs.append("--include-unreleased") }
    if let key, chosen != nil {
      if kept.map({ DocumentExport.resolved($0.path) }) != DocumentExport.resolved(key.path) {
        differs.append("--sign")
      } else if isLifetimeGiven, kept?.lifetime != key.lifetime {
        differs.append("--expire-in")
      } else {
        self.key = kept
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
    let now = try ledger.now(clock: context.clock())
    let source = try LedgerDocuments(ledger, at: now, now: now)
    let standing = try exporter.standing(source)
    guard let standing, standing.owner != nil || standing.isForked else { return nil }
    let impact = try ledger.impact(ofReplacing: exporter.replacements(by: source), at: now)
    let changing = Changing(options, context, on: ledger)
    let recorded = try changing.decide { draft in
      try draft.takeOver(resolvedPath(exporter.root), above: standing.served, impact)
      return Outcome(unprompted: Preview.text(impact.rest))
    }
    if options.isDryRun { try changing.print(recorded) }
    return Outcome.divided(recorded.json).json
  }
}
