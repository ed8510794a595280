import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var completions: Command {
    Command(
      "completions", reach: .caller, isReadOnly: true, summary: "Print a completion script for a shell",
      discussion: """
        The script asks pawl itself for completions. pawl reads the ledger named on the command line and \
        never changes it, so apps, versions and rules are offered as they are at that moment.
        """,
      examples: [
        .init("source <(pawl completions bash)", "in ~/.bashrc"),
        .init("source <(pawl completions zsh)", "in ~/.zshrc, after compinit"),
        .init("pawl completions fish > ~/.config/fish/completions/pawl.fish", "once"),
      ]
    ) {
      (.argument("SHELL", .one(of: CompletionShell.self), help: "The shell"), .common)
    } run: { context, shell, common in
      let script = AdminCommands.table.completionScript(for: shell)
      return try common.print(
        ["shell": .string(shell.rawValue), "script": .string(script)], context, isExact: true
      ) { script }
    }
  }
}

/// Values that only the ledger knows and that shells offer; the names are those of `Completion.custom`.
enum LiveKind: String {
  case app, evidence, undoable, trust
  /// An event, or an app whose version follows.
  case eventOrApp = "event-or-app"
  case eventKind = "event-kind"
  // What belongs to the app that the command line names.
  case version, range, rule
  case nextVersion = "next-version"
  /// A state that the release on the command line may move to.
  case move
  case settingKey = "setting-key"
}

extension Completion {
  static func live(_ kind: LiveKind) -> Completion { .custom(kind.rawValue) }
}

struct LiveValues {
  let context: PawlContext

  /// How many of the newest events are offered: more than a screenful helps no one.
  private static let mostEvents = 20

  /// The candidates for a value; none if the ledger is missing, damaged or being written.
  func candidates(_ question: CompletionQuestion) -> [Candidate] {
    guard let kind = LiveKind(rawValue: question.kind) else { return [] }
    if kind == .eventKind { return EventKind.names.map { Candidate($0) } }
    guard let ledger = try? Ledger.open(path(question), for: .glancing, now: context.clock()) else {
      return []
    }
    return (try? candidates(kind, question, ledger)) ?? []
  }

  /// The ledger's file; a shell passes the words before it has replaced `~` with the home folder.
  private func path(_ question: CompletionQuestion) -> String {
    let path = question.value(of: "--ledger") ?? context.environment("PAWL_LEDGER") ?? "pawl.db"
    guard path.hasPrefix("~/"), let home = context.environment("HOME") else { return path }
    return home + path.dropFirst()
  }

  private func candidates(
    _ kind: LiveKind, _ question: CompletionQuestion, _ ledger: Ledger
  ) throws -> [Candidate] {
    func ofLine(_ candidates: (AppState) -> [Candidate]) throws -> [Candidate] {
      let slug = [LiveKind.app, .eventOrApp].lazy.compactMap { question.value(ofKind: $0.rawValue) }.first
      return try slug.map { candidates(try ledger.line($0)) } ?? []
    }
    switch kind {
    case .app: return try apps(ledger)
    case .eventKind: return EventKind.names.map { Candidate($0) }
    case .evidence:
      return try ledger.inbox().map { Candidate(String($0.id), $0.subject ?? $0.reason ?? "") }
    case .undoable:
      return try events(ledger) { $0.evidence == nil && EventKind(rawValue: $0.kind)?.isOfApp == true }
    case .eventOrApp: return try events(ledger) { _ in true } + apps(ledger)
    case .trust: return try ledger.trusts().map { Candidate($0.value, $0.kind.rawValue) }
    case .version: return try ofLine(versions)
    case .nextVersion: return try ofLine(next)
    case .range: return try ofLine { ranges($0, question.word) }
    case .move:
      let version = question.value(ofKind: LiveKind.version.rawValue).flatMap { try? Version($0) }
      return try ofLine { line in
        guard let release = version.flatMap({ line.release($0) }) else { return [] }
        return ReleaseState.reachable.filter(release.state.mayBecome).map { Candidate($0.rawValue) }
      }
    case .rule:
      return try ofLine { line in
        line.rules.map { Candidate(String($0.number), "\($0.range.text) → \($0.action.rawValue)") }
      }
    case .settingKey:
      return try ofLine { line in Set(line.settings.map(\.key)).sorted().map { Candidate($0) } }
    }
  }

  private func apps(_ ledger: Ledger) throws -> [Candidate] {
    try listed(ledger.apps()).map { Candidate($0.slug, $0.name ?? $0.bundleID) }
  }

  private func events(_ ledger: Ledger, _ isOffered: (EventRecord) -> Bool) throws -> [Candidate] {
    try ledger.history(HistoryFilter(limit: LiveValues.mostEvents)).filter(isOffered)
      .map { Candidate(String($0.seq), EventText.what($0)) }
  }

  private func versions(_ line: AppState) -> [Candidate] {
    line.releases.reversed().map { Candidate($0.version.text, $0.state.rawValue) }
  }

  private func ranges(_ line: AppState, _ word: String) -> [Candidate] {
    let forms = [
      ("below:", "older than a version"), ("upto:", "a version and older"), ("from:", "a version and newer"),
      ("above:", "newer than a version"),
    ]
    let versions = versions(line)
    if let form = forms.first(where: { word.hasPrefix($0.0) })?.0 {
      return versions.map { Candidate(form + $0.word, $0.help) }
    }
    if let rest = word.rest(after: "..") {
      let start = String(word[..<rest.startIndex])
      return versions.map { Candidate(start + $0.word, $0.help) }
    }
    return versions + [Candidate("all", "every version")] + forms.map { Candidate($0.0, $0.1) }
  }

  /// The versions that may follow: those that `next` names.
  private func next(_ line: AppState) -> [Candidate] {
    if line.greatest == nil { return [Candidate("1.0.0", "the first")] }
    let train = VersionTrain(line, uploaded: nil, isRecorded: true)
    return VersionPart.allCases.reversed().compactMap { part in
      train.next(part).map { Candidate($0.text, "next \(part.rawValue)") }
    }
  }
}
