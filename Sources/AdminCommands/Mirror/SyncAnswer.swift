import CommandLineKit
import JSON
import Ledger
import Mirror
import Platform
import ReleaseModel

/// What a run says, and keeps for the board.
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

  // MARK: - For the board

  /// Keeps what was found, for the board and `doctor`; an account that may only read the ledger keeps nothing.
  func keep(fault: String?) {
    guard !options.isDryRun, let folder = try? CompanionFolder(.mirrors, of: ledger, makes: true) else {
      return
    }
    let earlier = MirrorStanding.read(name, in: folder)
    var generations = earlier?.generations ?? [:]
    if !lines.isEmpty { generations = [:] }
    for line in lines {
      if let head = line.fault == nil ? line.wanted : line.head { generations[line.app] = head.generation }
    }
    let standing = MirrorStanding(
      name: name, generations: generations, fault: fault,
      failingSince: fault == nil ? nil : earlier?.failingSince ?? context.clock())
    try? standing.write(in: folder)
  }
}
