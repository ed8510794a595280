import JSON
import Ledger
import Mirror
import Platform
import ReleaseModel

extension SyncRun {
  var json: JSON {
    var json = change?.object ?? JSON.Object()
    json["apps"] = .array(lines.map(\.json))
    json["mirror"] = .string(name)
    json["stopped"] = .array(stopped.sorted().map { .string($0) })
    json["warnings"] = .array(
      skew.map {
        [["id": "mirror.clock", "message": .string(Self.words(ofSkew: $0)), "seconds": .integer($0)]]
      }
        ?? [])
    return .object(json)
  }

  private static func words(ofSkew skew: Int64) -> String {
    "the mirror's clock is \(abs(skew)) s \(skew > 0 ? "ahead" : "behind"), and so are its answers"
  }

  var text: String {
    let counts = ["same", "sent", "removed", "refused"].map { outcome in
      "\(lines.filter { $0.outcome == outcome }.count) \(outcome)"
    }
    var text = "\(name): \(counts.joined(separator: ", ")).\n"
    for line in lines where line.fault != nil { text += "refused: \(line.app): \(line.words)\n" }
    if !stopped.isEmpty {
      text += "stopped by the mirror's own switch: \(stopped.sorted().joined(separator: ", "))\n"
    }
    if let skew { text += "warning: \(Self.words(ofSkew: skew)): set it\n" }
    return text
  }

  /// Why the run ends with a status other than 0; nil if it does not.
  var failure: CommandFailure? {
    let refused = lines.filter { $0.fault != nil }
    guard let first = refused.first(where: { $0.fault == .lost }) ?? refused.first, let fault = first.fault
    else {
      return nil
    }
    let words = refused.map { "\($0.app): \($0.words)" }.prefix(3).joined(separator: "; ")
    let details: JSON = ["apps": .array(refused.map(\.json))]
    let hint =
      switch fault {
      case .newer, .forked:
        "an older ledger was restored, or a copy of it was changed too; once you know which one is right, add "
          + "--take-over; a stop reaches the mirror without it"
      case .otherCopy:
        "make the change in that file; if backends should be told what this one says, add --take-over"
      case .foreign: "give each ledger's apps names of their own, or another mirror"
      case .altered: "find out who alters the mirror, then add --repair"
      case .lost: status == 0 ? "the next run finds out" : "run the command by hand and read its errors"
      case .unsound:
        "somebody changed the file without pawl: run 'pawl verify'; the app's next change repairs it"
      }
    let isFailed = fault == .lost && status != 0
    return CommandFailure(
      isFailed ? "mirror.failed" : fault.rawValue, "mirror '\(name)' is not up to date: \(words)", hint: hint,
      details: details, exit: fault != .lost ? .refused : isFailed ? .io : .busy)
  }

  /// Keeps what was found, for the board and `doctor`; an account that may only read the ledger keeps nothing.
  func keep(fault: String?) {
    guard !options.isDryRun, let folder = try? CompanionFolder(.mirrors, of: ledger, makes: true) else {
      return
    }
    let earlier = (try? folder.read("\(name).json")) ?? nil
    var generations = lines.isEmpty ? earlier?["apps"]?.object ?? JSON.Object() : JSON.Object()
    for line in lines {
      if let head = line.fault == nil ? line.wanted : line.head {
        generations[line.app] = .integer(head.generation)
      }
    }
    let since = fault == nil ? nil : earlier?["failingSince"]?.string ?? context.clock().text
    try? folder.write(
      ["apps": .object(generations), "fault": .optional(fault), "failingSince": .optional(since)],
      "\(name).json")
  }

  /// Has stopped apps bear a number above the mirror's, so that the stop gets out whatever goes wrong here.
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
      context.note("warning: a stop cannot be sent: \(failure.message)\n", isJSON: options.common.isJSON)
    }
  }

  /// Records that the ledger goes on where another file or another past of it spoke, after asking.
  mutating func takeOver() throws {
    let taken = lines.filter { $0.fault?.isTakenOver == true }
    guard let served = taken.compactMap(\.head?.generation).max() else { return }
    let now = try ledger.now(clock: context.clock())
    let there = try ask(store.rows(of: taken.map(\.app)))
    let told = taken.map { [stopped] line in
      ToldThere(app: line.app) { version in
        let told = stopped.contains(line.app) ? nil : there.told(line.app, version, at: now.seconds)
        return told ?? (.none, nil)
      }
    }
    change = try Changing(options, context).takeOver(
      "mirror \(name)", above: served, told, on: ledger, at: now)
    if options.isDryRun { return }
    writeDocuments(ledger, isStop: false)
    try rejoin { $0.fault?.isTakenOver == true }
  }

  /// Looks again at what the mirror should hold, and lets some faults pass.
  private mutating func rejoin(_ isForgiven: (Line) -> Bool) throws {
    let wanted = try wanted()
    for index in lines.indices {
      if isForgiven(lines[index]) { (lines[index].fault, lines[index].words) = (nil, "") }
      lines[index].wanted = wanted[lines[index].app]
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
