import CommandLineKit
import Export
import JSON
import Ledger
import ReleaseModel

extension Snapshot {
  /// Says whom a change of answers concerns and why, a clause for each run of versions: `37,500 devices on
  /// 4.0.0–4.2.1 are now forced to 4.4.1 (rule 3: crash at start)`.
  ///
  /// - Parameters:
  ///   - changes: How the answers changed, to those of the schedule.
  ///   - decider: The decision at the moment of the changes.
  ///   - usage: How many devices run each version; nil if nobody counted them.
  ///   - cause: The change that caused it; nil if it was the time alone.
  /// - Returns: nil if all versions that somebody may run are prompted as before.
  func words(
    for changes: [ScheduleSlice.Change], by decider: Decider, usage: Usage?, cause: EventRecord?
  ) -> String? {
    let app = line.app
    let counted = usage?.counts.filter { $0.devices > 0 }.map(\.version) ?? []
    let versions = line.releases.filter(\.wasReleased).map(\.version) + counted
    let clauses = changes.compactMap { change -> String? in
      let concerned = versions.filter(change.range.contains)
      guard let words = change.words(of: app.slug), let first = concerned.min(), let last = concerned.max()
      else { return nil }
      let devices = usage?.part(from: first, to: last).devices ?? 0
      let who =
        devices == 0 ? "clients" : devices == 1 ? "1 device" : "\(grouped(Int(devices))) devices"
      let span = first == last ? first.text : "\(first.text)–\(last.text)"
      return "\(who) on \(span) \(devices == 1 ? "is" : "are") \(words)"
        + why(decider.decide(Client(version: first)))
    }
    guard !clauses.isEmpty else { return nil }
    let text = "\(app.name ?? app.slug): " + clauses.joined(separator: "; ")
    guard let cause else { return text }
    let reason = cause.kind.hasPrefix("rule.") ? nil : cause.reason
    return text + ", by \(Actor(cause).name)" + (reason.map { ": \($0)" } ?? "")
  }

  private func why(_ decision: Decision) -> String {
    switch decision.decidedBy {
    case .stopped: return " (the app is stopped)"
    case .mandatory: return " (mandatory)"
    case .rule:
      guard let rule = line.rules.first(where: { $0.number == decision.rule }) else { return "" }
      return " (rule \(rule.number)" + (rule.reason.map { ": \($0)" } ?? "") + ")"
    default: return ""
    }
  }
}

extension ScheduleSlice.Change {
  /// What becomes of the prompt; nil if its action stays the same.
  fileprivate func words(of app: String) -> String? {
    let text = json
    guard let before = text["before"]?.string, let after = text["after"]?.string, before != after else {
      return nil
    }
    let other = text["targetApp"]?.string.flatMap { $0 == app ? nil : "\($0) " } ?? ""
    let target = other + (text["target"]?.string ?? "another page")
    switch after {
    case "force": return "now forced to \(target)"
    case "remind": return "now \(before == "force" ? "only " : "")reminded of \(target)"
    default: return before == "force" ? "no longer forced" : "no longer reminded"
    }
  }
}
