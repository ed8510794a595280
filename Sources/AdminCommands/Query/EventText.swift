import JSON

/// An event in words.
enum EventText {
  static func who(_ event: JSON) -> String {
    let user = "\(event["actor"]?["user"]?.string ?? "?")@\(event["actor"]?["host"]?.string ?? "?")"
    let claimed = event["actor"]?["claimed"]?.string
    guard let principal = event["actor"]?["principal"]?.string else {
      return claimed.map { "\($0) (\(user))" } ?? user
    }
    guard let claimed, claimed != principal else { return "\(principal) (\(user))" }
    return "\(claimed) (principal \(principal), \(user))"
  }

  /// By which way somebody came, where that is known.
  static func way(_ actor: JSON?) -> [(label: String, text: String)] {
    var lines: [(label: String, text: String)] = []
    if let principal = actor?["principal"]?.string { lines.append(("principal", principal)) }
    if let uid = actor?["loginUid"]?.integer, uid != actor?["uid"]?.integer {
      lines.append(("login uid", "\(uid)"))
    }
    if let from = actor?["ssh"]?["from"]?.string {
      lines.append(("ssh", actor?["ssh"]?["forced"]?.bool == true ? "\(from), forced command" : from))
    }
    if let ci = actor?["ci"], let system = ci["system"]?.string {
      lines.append(
        ("ci", [system, ci["actor"]?.string, ci["run"]?.string].compactMap { $0 }.joined(separator: " ")))
    }
    return lines
  }

  static func what(_ event: JSON) -> String {
    let kind = event["kind"]?.string ?? ""
    let app = event["app"]?.string ?? ""
    let version = event["version"]?.string ?? ""
    let before = event["before"]?["state"]?.string
    let after = event["after"]?["state"]?.string
    switch kind {
    case "ledger.init": return "made the ledger"
    case "app.add": return "added app \(app)"
    case "app.set": return "changed app \(app)"
    case "release.publish": return "published \(app) \(version)"
    case "release.import": return "imported \(app) \(version)"
    case "release.amend": return "amended \(app) \(version)"
    case "release.mark":
      guard let before, let after, before != after else { return "ended the hold of \(app) \(version)" }
      let other = event["after"]?["superseded"]?.string.map { ", superseding \($0)" } ?? ""
      return "marked \(app) \(version) \(before) → \(after)\(other)"
    case "release.unmark":
      let other = event["after"]?["restored"]?.string.map { ", \($0) live again" } ?? ""
      return "took back \(app) \(version) → \(after ?? "")\(other)"
    case "release.void": return "struck out \(app) \(version)"
    case "app.stop": return "stopped \(app)"
    case "app.resume": return "resumed \(app)"
    case "rule.force", "rule.remind", "rule.none": return "made \(RuleText.line(event["after"] ?? .null))"
    case "rule.lift": return "lifted \(RuleText.line(event["before"] ?? .null))"
    case "rule.restore": return "gave back \(RuleText.line(event["after"] ?? .null))"
    case "redirect.set": return "redirected \(app) \(place(event["after"] ?? .null))"
    case "redirect.clear": return "cleared the redirect of \(app) \(event["before"]?["range"]?.string ?? "")"
    case "setting.set":
      let setting = event["after"] ?? .null
      return "set \(app) \(setting["key"]?.string ?? "") for \(setting["range"]?.string ?? "")"
    case "setting.clear": return "cleared \(app) \(event["before"]?["key"]?.string ?? "")"
    case "evidence.add", "evidence.settle":
      let evidence = event["after"] ?? .null
      let reason = evidence["reason"]?.string.map { ": \($0)" } ?? ""
      return
        "\(evidence["outcome"]?.string ?? "") \(evidence["kind"]?.string ?? "") \(evidence["id"]?.integer ?? 0)\(reason)"
    case "trust.add":
      return "trusts \(trusted(event["after"] ?? .null))"
    case "trust.remove": return "no longer trusts \(trusted(event["before"] ?? .null))"
    case "request": return "nothing, as a request asked again"
    default: return "\(kind) \(app) \(version)"
    }
  }

  private static func trusted(_ trust: JSON) -> String {
    let selector = trust["selector"]?.string.map { " selector \($0)" } ?? ""
    return "\(trust["kind"]?.string ?? "") \(trust["value"]?.string ?? "")\(selector)"
  }

  private static func place(_ redirect: JSON) -> String {
    "\(redirect["range"]?.string ?? "") to \(redirect["to"]?.string ?? redirect["url"]?.string ?? "")"
  }
}
