import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// Who recorded an event, according to the event.
struct Actor {
  let json: JSON

  init(_ json: JSON) { self.json = json }

  init(_ event: EventRecord) { self.init((try? JSON(parsing: event.actor.utf8)) ?? .null) }

  private var user: String { json["user"]?.string ?? "?" }
  private var claimed: String? { json["claimed"]?.string }
  private var principal: String? { json["principal"]?.string }

  /// Who it was, as far as the system or an ssh key proves it; what is only claimed follows 'as'.
  var text: String {
    let account = "\(user)@\(json["host"]?.string ?? "?")"
    return principal.map { "\($0)\(alias) (\(account))" } ?? account + alias
  }

  /// The same, without the host.
  var shortText: String { (principal ?? user) + alias }

  private var alias: String { claimed == principal ? "" : claimed.map { " as \($0)" } ?? "" }

  /// The name that people know them by: a key's, else what they claim, else the account's.
  var name: String { principal ?? claimed ?? user }

  var way: [(String, String?)] {
    var lines: [(String, String?)] = [("principal", principal)]
    if let uid = json["loginUid"]?.integer, uid != json["uid"]?.integer {
      lines.append(("login uid", "\(uid)"))
    }
    return lines
  }
}

enum EventText {
  /// The columns of events, as every list shows them.
  static var columns: [Column] { [.right("EVENT"), "AT", "WHO", "WHAT", "REASON"] }

  /// The row of an event; where lines are short, without seconds and the author's host.
  static func row(_ event: EventRecord, _ zone: Zone, isWhole: Bool) -> [Cell] {
    let at = zone.text(event.at)
    return [
      Cell(String(event.seq), .bold), Cell(isWhole ? at : Timestamp.minutes(of: at) ?? at),
      Cell(isWhole ? Actor(event).text : Actor(event).shortText),
      Cell(zone.text(in: what(event), butFor: verbatim(event))),
      Cell(event.reason ?? "", .dim),
    ]
  }

  /// What clients get as it was written, whatever looks like a time in it.
  static func verbatim(_ event: EventRecord) -> [String] {
    guard event.kind.hasPrefix("setting."), case .settingSet(let before, let after)? = try? event.change()
    else { return [] }
    return [before?.value, after?.value].compactMap(\.self)
  }

  static func what(_ event: EventRecord) -> String {
    let app = event.app ?? ""
    // An event that cannot be read, since a newer version wrote it or someone altered it, is named by its
    // kind.
    guard let (change, moved) = try? event.decoded() else {
      return "\(event.kind) \(app) \(event.version ?? "")"
    }
    return what(change, moved, app: app)
  }

  static func what(_ change: Change, _ moved: MovedRelease, app: String) -> String {
    let done = change.kind.traits.done
    let name = name(of: change, app)
    let plain = name.isEmpty ? done : "\(done) \(name)"
    let again = moved.restored.map { ", \($0) live again" } ?? ""
    switch change {
    case .ledgerMade: return "\(done) the ledger"
    case .appSet(let before, let after) where change.kind == .appSet:
      return plain + details(before.json, after.json)
    case .published(let release) where release.isMandatory: return "\(plain), mandatory"
    case .amended(let before, let after):
      return plain + details(before.json(app: app), after.json(app: app))
    case .marked(let before, let after):
      guard before.state != after.state else { return "ended the hold of \(name)" }
      return "\(plain) \(before.state.rawValue) → \(after.state.rawValue)"
        + (moved.superseded.map { ", superseding \($0)" } ?? "")
    case .unmarked(_, let after): return "\(plain) → \(after.state.rawValue)" + again
    case .returned(let before, let after):
      return "\(plain) \(before.state.rawValue) → \(after.state.rawValue)"
    case .voided: return plain + again
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
    case .publicationSet(_, nil): return done
    case .takenOver(let takeOver):
      let left = takeOver.from.flatMap { from in takeOver.to.map { ", leaving out \(from) to \($0)" } } ?? ""
      return (takeOver.place.map { "\(done) \($0)" } ?? "continued above what clients were told") + left
    // Which signatures of a plan count, depends on who was trusted; 'show' names them.
    default: return plain
    }
  }

  /// What a change is about, by the name that people know it by; empty if it is about the ledger.
  private static func name(of change: Change, _ app: String) -> String {
    switch change.record {
    case let release as Release: "\(app) \(release.version.text)"
    case let rule as Rule: rule.of(app).text
    case let trust as Trust: words(trust)
    case let publication as Publication: publication.directory
    default: app
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
