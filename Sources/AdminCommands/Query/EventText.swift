import JSON
import Ledger
import ReleaseModel

/// Who recorded an event, as it keeps it.
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

  /// The name that counts, and what the system says behind it.
  var text: String {
    guard let principal else { return claimed.map { "\($0) (\(user))" } ?? user }
    guard let claimed, claimed != principal else { return "\(principal) (\(user))" }
    return "\(claimed) (principal \(principal), \(user))"
  }

  /// By which way somebody came, where that is known.
  var way: [(label: String, text: String)] {
    var lines: [(label: String, text: String)] = []
    if let principal { lines.append(("principal", principal)) }
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

/// An event in words.
enum EventText {
  static func what(_ event: EventRecord) -> String {
    let app = event.app ?? ""
    // An event of a newer version, or one that was altered, is named by what it is called.
    guard let change = try? event.change() else { return "\(event.kind) \(app) \(event.version ?? "")" }
    return what(change, app: app)
  }

  private static func what(_ change: Change, app: String) -> String {
    func name(_ release: Release) -> String { "\(app) \(release.version.text)" }
    func also(_ version: Version?, _ words: (String) -> String) -> String {
      version.map { words($0.text) } ?? ""
    }
    switch change {
    case .ledgerMade: return "made the ledger"
    case .appAdded: return "added app \(app)"
    case .appSet(let before, let after):
      if before.isStopped != after.isStopped { return after.isStopped ? "stopped \(app)" : "resumed \(app)" }
      return "changed app \(app)"
    case .published(let release): return "published \(name(release))"
    case .imported(let release, _): return "imported \(name(release))"
    case .amended(_, let release): return "amended \(name(release))"
    case .marked(let before, let after, let superseded):
      guard before.state != after.state else { return "ended the hold of \(name(after))" }
      return "marked \(name(after)) \(before.state.rawValue) → \(after.state.rawValue)"
        + also(superseded) { ", superseding \($0)" }
    case .unmarked(_, let after, let restored):
      return "took back \(name(after)) → \(after.state.rawValue)" + also(restored) { ", \($0) live again" }
    case .voided(_, let release, _, let restored):
      return "struck out \(name(release))" + also(restored) { ", \($0) live again" }
    case .ruleMade(let rule): return "made \(rule.of(app).text)"
    case .ruleLifted(let rule): return "lifted \(rule.of(app).text)"
    case .ruleRestored(let rule): return "gave back \(rule.of(app).text)"
    case .redirectSet(_, let after?):
      return "redirected \(app) \(after.range.text) to \(after.destination.text)\(after.windowText)"
    case .redirectSet(let before, nil):
      return "cleared the redirect of \(app) \(before?.range.text ?? "")\(before?.windowText ?? "")"
    case .settingSet(_, let after?):
      return "set \(app) \(after.key) for \(after.range.text)\(after.windowText)"
    case .settingSet(let before, nil):
      return "cleared \(app) \(before?.key ?? "")\(before?.windowText ?? "")"
    case .evidenceAdded(let evidence), .evidenceSettled(_, let evidence):
      let reason = evidence.reason.map { ": \($0)" } ?? ""
      return "\(evidence.outcome.rawValue) \(evidence.kind.rawValue) \(evidence.id)\(reason)"
    case .trusted(let trust): return "trusts \(words(trust))"
    case .distrusted(let trust): return "no longer trusts \(words(trust))"
    case .publicationSet(_, let publication?): return "documents go to \(publication.directory)"
    case .publicationSet(_, nil): return "changes write no documents any more"
    case .clockCorrected(let correction):
      return "put the clock right: \(correction.from.text) was \(correction.to.text)"
    case .planApplied(let plan):
      let count = plan.signatures.count
      return "applied a plan that \(count) \(count == 1 ? "signature agrees" : "signatures agree") to"
    case .requested: return "nothing, as a request asked again"
    }
  }

  private static func words(_ trust: Trust) -> String {
    let selector = trust.selector.isEmpty ? "" : " selector \(trust.selector)"
    return "\(trust.kind.rawValue) \(trust.value)\(selector)"
  }
}
