import CommandLineKit
import JSON
import Ledger
import Mirror
import Platform
import ReleaseModel

/// How the ledger goes on above what a mirror holds from another past.
extension SyncRun {
  /// Has stopped apps bear a number above the mirror's, if the mirror belongs to this file: a stop gets out.
  ///
  /// Nothing that goes wrong here keeps other apps from being sent.
  mutating func outrun() {
    do {
      let past = lines.filter { $0.fault == .newer || $0.fault == .forked }
      guard !past.isEmpty else { return }
      let silent = Set(try ledger.apps().filter(\.isStopped).map(\.slug))
      guard let served = past.filter({ silent.contains($0.app) }).compactMap(\.head?.generation).max() else {
        return
      }
      let writer = try options.open(context)
      var changing = Changing(options, context)
      changing.isUrgent = true
      change = try writer.record(
        changing.recording(), confirm: { _ in }, body: { try $0.takeOver(nil, above: served) },
        answer: { _ in [] }
      ).json
      writeDocuments(writer, isStop: true)
      try rejoin { silent.contains($0.app) && ($0.fault == .newer || $0.fault == .forked) }
    } catch {
      let failure = report(error)
      context.note("warning: a stop does not get out: \(failure.message)\n", isJSON: options.common.isJSON)
    }
  }

  /// Records that the ledger goes on where another file or another past of it spoke, after asking.
  mutating func takeOver() throws {
    let taken = lines.filter { $0.fault?.isTakenOver == true }
    guard let served = taken.compactMap(\.head?.generation).max() else { return }
    let now = try ledger.now(clock: context.clock())
    let there = try ask(store.rows(of: taken.map(\.app)))
    let told = try taken.map { line in
      let snapshot = line.wanted == nil ? nil : try ledger.snapshot(line.app)
      let decider = snapshot.map { Decider($0, at: now) }
      return Impact(on: line.app, snapshot?.line.releases.map(\.version) ?? [], at: now) { version in
        let told = stopped.contains(line.app) ? nil : there.told(line.app, version, at: now.seconds)
        return (told?.action ?? .none, told?.url)
      } after: { version in
        let decision = decider?.decide(Client(version: version))
        return (decision?.action ?? .none, decision?.url)
      }
    }
    let changing = Changing(options, context)
    let recorded = try ledger.record(
      changing.recording(), confirm: { try changing.confirm($0) },
      body: { try $0.takeOver("mirror \(name)", above: served, Impact(told)) }, answer: { _ in [] })
    change = recorded.json
    if options.isDryRun {
      try options.common.print(recorded.json, context) {
        "Dry run: nothing was recorded.\n" + Preview.text(Impact(told).preview, context)
      }
      return
    }
    writeDocuments(ledger, isStop: false)
    try rejoin { $0.fault?.isTakenOver == true }
  }

  /// Looks again at what the mirror should hold, and lets some faults pass.
  private mutating func rejoin(_ isForgiven: (Line) -> Bool) throws {
    let stored = Dictionary(
      try ledger.storedHeads().map { ($0.slug, $0) }, uniquingKeysWith: { first, _ in first })
    for index in lines.indices {
      if isForgiven(lines[index]) { (lines[index].fault, lines[index].words) = (nil, "") }
      lines[index].wanted = stored[lines[index].app].map { found in
        MirrorHead(
          app: found.slug, ledger: own, file: file.text, generation: found.generation, hash: found.hash,
          digest: found.digest)
      }
    }
  }

  private mutating func writeDocuments(_ ledger: Ledger, isStop: Bool) {
    do {
      try DocumentExport.update(after: ledger, context, isStop: isStop, isQuiet: true)
    } catch {
      documentsFailure = report(error)
    }
  }
}
