import AppleIntake
import CommandLineKit
import ReleaseModel

/// What people and Apple call things that have another name in pawl: understood in hints, never executed.
enum Synonyms {
  /// Commands as somebody may name them, each with the command line that does it.
  static let commands = [
    "app delete": "app retire", "app remove": "app retire", "app rm": "app retire",
    "approve": "mark APP VERSION approved", "block": "force", "deploy": "mark APP VERSION live",
    "disable": "stop", "enable": "resume", "go-live": "mark APP VERSION live", "log": "history",
    "ls": "app list", "list": "app list", "new": "publish", "pause": "stop",
    "reject": "mark APP VERSION rejected", "release": "mark APP VERSION live", "remove-rule": "lift",
    "rollback": "unmark", "silence": "allow", "start": "resume", "submit": "mark APP VERSION waiting",
    "unallow": "lift", "unblock": "lift", "trust delete": "trust remove", "trust show": "trust list",
    "undo": "revert", "unforce": "lift", "unpublish": "void",
    "unredirect": "redirect APP RANGE --clear", "unremind": "lift", "unset": "setting APP KEY --clear",
    "unstop": "resume", "untrust": "trust remove", "unvoid": "publish",
    "withdraw": "mark APP VERSION withdrawn",
  ]

  /// The state that a word means or misspells.
  static func state(_ word: String) -> String? {
    let spoken = word.lowercased().map { $0 == "_" || $0 == " " ? "-" : String($0) }.joined()
    let apple = WebhookEvent.state(spoken.uppercased().map { $0 == "-" ? "_" : String($0) }.joined())
    let state = apple ?? people[spoken]
    return state?.rawValue ?? closest(to: word, among: ReleaseState.reachable.map(\.rawValue))
  }

  /// How to see the things that somebody named instead of an app's slug.
  static func noun(_ word: String) -> String? {
    switch word {
    case "event": "write 'pawl show SEQ'"
    case "redirect", "rule", "setting": "see 'pawl \(word)s APP'"
    case "release": "write 'pawl show APP VERSION'"
    default: nil
    }
  }

  /// The range that a text means or misspells.
  static func range(_ text: String) -> String? {
    let terms = text.split(separator: " ").map { term(String($0)) }
    let meant = terms.joined(separator: " ")
    return meant != text && (try? VersionRange(meant)) != nil ? meant : nil
  }

  private static func term(_ term: String) -> String {
    if (try? VersionRange(term)) != nil { return term }
    let parts = term.split(separator: ":", maxSplits: 1).map(String.init)
    if parts.count == 2, let word = bound(parts[0]) { return "\(word):\(parts[1])" }
    for sign in ["...", "-", "–", "—", ":"] {
      guard let end = term.rest(after: sign), !end.isEmpty, !end.holds(sign) else { continue }
      let start = term.dropLast(end.count + sign.count)
      if !start.isEmpty { return "\(start)..\(end)" }
    }
    return String(term.drop { $0 == "v" || $0 == "V" })
  }

  /// The keyword of a bound that a word means or misspells.
  private static func bound(_ word: String) -> String? {
    bounds[word.lowercased()] ?? closest(to: word, among: ["below", "upto", "above", "from"])
  }

  private static let bounds = [
    "after": "above", "before": "below", "less": "below", "over": "above", "since": "from", "to": "upto",
    "under": "below", "until": "upto",
  ]

  /// A hint on an extra word, or on an option that a command does not have; nil if the parser's own hint is
  /// better.
  static func hint(for error: UsageError, _ words: [String]) -> String? {
    if error.id == "usage.unknown-option" {
      return words.first == "amend" && words.contains { $0 == "--at" || $0.hasPrefix("--at=") }
        ? "the time a release went live never changes" : nil
    }
    guard error.id == "usage.unexpected-argument" else { return nil }
    if let range = conditions(in: words) { return "put the conditions in quotes: \"\(range)\"" }
    for (word, next) in zip(words, words.dropFirst()) {
      if let bound = bound(word), (try? VersionRange("\(bound):\(next)")) != nil {
        return "did you mean '\(bound):\(next)'?"
      }
      if words.first == "mark", let state = ReleaseState(rawValue: "\(word)-\(next)".lowercased()) {
        return "did you mean '\(state.rawValue)'?"
      }
      if word == "rule", Int64(digits: next) != nil, words.first == "lift", words.count > 2 {
        return "did you mean 'pawl lift \(printable(words[1], limit: 80)) \(next)'?"
      }
    }
    // Texts contain blanks, which a shell takes for the end of a word.
    if let option = words.indices.dropLast(2).first(where: { index in
      texts.contains(words[index]) && !words[index + 2].hasPrefix("-")
    }) {
      let rest = words[(option + 1)...].prefix { !$0.hasPrefix("--") }.joined(separator: " ")
      return "put the text in quotes: \(words[option]) \"\(printable(rest, limit: 80))\""
    }
    guard words.first == "redirect", words.count > 3, let place = words.dropFirst(3).first,
      !place.hasPrefix("-")
    else { return nil }
    return "did you mean '\(place.contains(":") ? "--url" : "--to") \(printable(place, limit: 200))'?"
  }

  /// Several conditions of one range that were given as separate words.
  private static func conditions(in words: [String]) -> String? {
    let runs = words.split { (try? Version($0)) != nil || (try? VersionRange($0)) == nil }
    return runs.first { $0.count > 1 }.map { $0.joined(separator: " ") }.flatMap { text in
      (try? VersionRange(text)).map { _ in text }
    }
  }

  /// Options that take a text.
  private static let texts: Set = ["--actor", "--name", "--note", "--reason"]

  /// The states in everyday words, besides the names that App Store Connect gives them.
  private static let people: [String: ReleaseState] = [
    "accepted": .approved, "available": .live, "cancelled": .withdrawn, "canceled": .withdrawn,
    "deleted": .removed, "draft": .prepared, "for-sale": .live, "on-sale": .live, "passed": .approved,
    "published": .live, "refused": .rejected, "released": .live, "review": .inReview, "reviewing": .inReview,
    "submitted": .waiting,
  ]
}
