import AppleIntake
import CommandLineKit
import ReleaseModel

/// What people and Apple call things that have another name in pawl: understood in hints, never executed.
enum Synonyms {
  /// What to do for words that are no command, and no app either.
  ///
  /// Somebody who types one of them in an emergency runs what the answer names. So it names first what makes no
  /// prompt stricter; what does is named only where the word can mean nothing else.
  static var answers: [String: String] {
    let undo = "'pawl undo' takes the last change back, 'pawl undo SEQ' another one; it asks first"
    let stop = "'pawl stop APP' ends all prompts of an app at once"
    let live = "once the store serves it: 'pawl mark APP VERSION live'"
    let remove =
      "'pawl stop APP' ends all prompts; 'pawl rules APP', 'pawl redirects APP' and 'pawl settings APP' list what can end"
    return [
      "app remove":
        "'pawl app retire SLUG' retires an app; 'pawl app void SLUG' strikes out one added by mistake",
      "approve":
        "'pawl plan sign FILE' agrees to a plan; when Apple has approved: 'pawl mark APP VERSION approved'",
      "block": stop + "; to keep users off one version, see docs/tasks/block-one-version.md",
      "cancel": undo, "delete": remove, "deploy": live, "disable": stop,
      "list": "'pawl app list' lists the apps, 'pawl releases APP' the releases of one",
      "log": "'pawl history' lists the events", "pause": stop,
      "reject": "when Apple has rejected it: 'pawl mark APP VERSION rejected'",
      "release": "'pawl show APP VERSION' shows a release; " + live, "remove": remove, "rollback": undo,
      "submit": "when it waits for review: 'pawl mark APP VERSION waiting'",
    ]
  }

  static func state(_ word: String) -> String? {
    let spoken = word.lowercased().map { $0 == "_" || $0 == " " ? "-" : String($0) }.joined()
    let apple = WebhookEvent.state(spoken.uppercased().map { $0 == "-" ? "_" : String($0) }.joined())
    let state = apple ?? people[spoken]
    return state?.rawValue ?? closest(to: word, among: ReleaseState.reachable.map(\.rawValue))
  }

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
    // Options may stand before the command.
    let words = error.path.first.map { verb in Array(words.drop { $0 != verb }) } ?? words
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

  private static func conditions(in words: [String]) -> String? {
    let runs = words.split { (try? Version($0)) != nil || (try? VersionRange($0)) == nil }
    return runs.first { $0.count > 1 }.map { $0.joined(separator: " ") }.flatMap { text in
      (try? VersionRange(text)).map { _ in text }
    }
  }

  private static let texts: Set = ["--actor", "--name", "--note", "--reason"]

  /// The states in everyday words, besides the names that App Store Connect gives them.
  private static let people: [String: ReleaseState] = [
    "accepted": .approved, "available": .live, "cancelled": .withdrawn, "canceled": .withdrawn,
    "deleted": .removed, "draft": .prepared, "for-sale": .live, "on-sale": .live, "passed": .approved,
    "published": .live, "refused": .rejected, "released": .live, "review": .inReview, "reviewing": .inReview,
    "submitted": .waiting,
  ]
}
