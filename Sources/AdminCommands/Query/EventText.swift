import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// Who recorded an event, according to the event.
struct Actor {
  let json: JSON
  private let user: String
  private let claimed: String?
  private let principal: String?

  init(_ event: EventRecord) {
    json = (try? JSON(parsing: event.actor.utf8)) ?? .null
    user = "\(json["user"]?.string ?? "?")@\(json["host"]?.string ?? "?")"
    claimed = json["claimed"]?.string
    principal = json["principal"]?.string
  }

  /// Who it was, as far as the system or an ssh key proves it; what is only claimed follows 'as'.
  var text: String {
    let alias = claimed == principal ? nil : claimed.map { " as \($0)" }
    guard let principal else { return user + (alias ?? "") }
    return "\(principal)\(alias ?? "") (\(user))"
  }

  /// The name that people know them by: a key's, else what they claim, else the account's.
  var name: String { principal ?? claimed ?? json["user"]?.string ?? "?" }

  var way: [(String, String?)] {
    var lines: [(String, String?)] = [("principal", principal)]
    if let uid = json["loginUid"]?.integer, uid != json["uid"]?.integer {
      lines.append(("login uid", "\(uid)"))
    }
    if let from = json["ssh"]?["from"]?.string {
      lines.append(("ssh", json["ssh"]?["forced"]?.bool == true ? "\(from), forced command" : from))
    }
    if let ci = json["ci"], let system = ci["system"]?.string {
      lines.append(
        ("ci", [system, ci["actor"]?.string, ci["run"]?.string].compactMap { $0 }.joined(separator: " ")))
    }
    return lines
  }
}

enum EventText {
  static func what(_ event: EventRecord) -> String { what(event, try? event.change()) }

  static func what(_ event: EventRecord, _ change: Change?) -> String {
    let app = event.app ?? ""
    // An event that cannot be read, since a newer version wrote it or somebody altered it, is named by its
    // kind.
    guard let change else { return "\(event.kind) \(app) \(event.version ?? "")" }
    return what(change, app: app)
  }

  static func what(_ change: Change, app: String) -> String {
    func name(_ release: Release) -> String { "\(app) \(release.version.text)" }
    func also(_ version: Version?, _ words: (String) -> String) -> String {
      version.map { words($0.text) } ?? ""
    }
    let done = change.kind.traits.done
    switch change {
    case .ledgerMade: return "\(done) the ledger"
    case .appAdded, .appVoided: return "\(done) \(app)"
    case .appSet(let before, let after):
      return "\(done) \(app)" + (change.kind == .appSet ? details(before.json, after.json) : "")
    case .published(let release), .imported(let release, _): return "\(done) \(name(release))"
    case .amended(let before, let after):
      return "\(done) \(name(after))" + details(before.json(app: app), after.json(app: app))
    case .marked(let before, let after, let superseded):
      guard before.state != after.state else { return "ended the hold of \(name(after))" }
      return "\(done) \(name(after)) \(before.state.rawValue) → \(after.state.rawValue)"
        + also(superseded) { ", superseding \($0)" }
    case .unmarked(_, let after, let restored):
      return "\(done) \(name(after)) → \(after.state.rawValue)" + also(restored) { ", \($0) live again" }
    case .voided(_, let release, _, let restored):
      return "\(done) \(name(release))" + also(restored) { ", \($0) live again" }
    case .ruleMade(let rule), .ruleLifted(let rule), .ruleRestored(let rule):
      return "\(done) \(rule.of(app).text)"
    case .redirectSet(_, let after?):
      return "\(done) \(app) \(after.range.text) to \(after.destination.text)\(after.windowText)"
    case .redirectSet(let before, nil):
      return "\(done) \(app) \(before?.range.text ?? "")\(before?.windowText ?? "")"
    case .settingSet(_, let after?):
      let value = after.value.utf8.count > 60 ? "" : " to \(printable(after.value))"
      let phase = after.phase.map { " during \($0.rawValue)" } ?? ""
      return "\(done) \(app) \(after.key) for \(after.range.text)\(value)\(phase)\(after.windowText)"
    case .settingSet(let before, nil):
      return "\(done) \(app) \(before?.key ?? "")\(before?.windowText ?? "")"
    case .evidenceAdded(let evidence), .evidenceSettled(_, let evidence):
      let reason = evidence.reason.map { ": \($0)" } ?? ""
      return "\(evidence.outcome.rawValue) \(evidence.kind.rawValue) \(evidence.id)\(reason)"
    case .trusted(let trust) where trust.kind == .approvals: return "required \(approvals(trust))"
    case .distrusted(let trust) where trust.kind == .approvals:
      return "stopped requiring \(approvals(trust))"
    case .trusted(let trust), .distrusted(let trust): return "\(done) \(words(trust))"
    case .publicationSet(_, let publication?): return "\(done) \(publication.directory)"
    // Which of its signatures count, depends on who was trusted; 'show' names them.
    case .publicationSet(_, nil), .requested, .planApplied: return done
    case .clockCorrected(let correction):
      return "\(done) \(correction.from.text) to \(correction.to.text)"
    case .takenOver(let takeOver):
      let left = takeOver.from.flatMap { from in takeOver.to.map { ", leaving out \(from) to \($0)" } } ?? ""
      return (takeOver.place.map { "\(done) \($0)" } ?? "continued above what clients were told") + left
    }
  }

  private static func details(_ before: JSON, _ after: JSON) -> String {
    let parts = FieldChange.all(from: before, to: after).filter {
      !["locales", "storeURLGiven"].contains($0.field)
    }.map { change in
      let value = FieldChange.shown(change.after, .utc)
      let isText = change.field.hasPrefix("notes") || value.utf8.count > 60
      return isText && change.after != .null
        ? change.label : "\(change.label) \(value == "–" ? "none" : value)"
    }
    return parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
  }

  private static func words(_ trust: Trust) -> String {
    let selector = trust.selector.isEmpty ? "" : " selector \(trust.selector)"
    let end = trust.until.map { " until \($0.text)" } ?? ""
    return "\(trust.kind.rawValue) \(trust.value)\(selector)\(end)"
  }

  private static func approvals(_ trust: Trust) -> String {
    "\(trust.value) \(trust.value == "1" ? "approval" : "approvals")"
  }
}
