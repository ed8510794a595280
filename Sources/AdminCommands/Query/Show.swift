import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var show: Command {
    .query(
      "show", summary: "Show an app, a release or an event, with who, when and why",
      discussion: """
        For an event, also the evidence it relied on. For a release, its states, who moved it and on which evidence, \
        and what its clients are told now. With --blame, each field with the event that last changed it, and for a \
        version also what its clients are told, what they were told before, and what made the difference: an event, \
        or time alone.
        """,
      examples: [
        .init("pawl show 12", "the twelfth event"),
        .init("pawl show taxi", "one app"),
        .init("pawl show taxi 7.3.2", "one release, and how it came to its state"),
        .init("pawl show taxi 7.3.2 --blame", "who changed what 7.3.2 is told, and from what"),
      ]
    ) {
      (
        .shown, .flag("--blame", help: "Show who last changed each field, and what a version is told"),
        .option("--os", "V", .shortVersion, help: "With --blame: the client's system"),
        .option(
          "--limit", "N", .integer(1...10_000),
          help: "With --blame: how many of the answer's changes to show; default: 1")
      )
    } run: { query, shown, isBlame, os, limit in
      let (context, ledger) = (query.context, query.ledger)
      if os != nil || limit != nil {
        guard isBlame, case .release = shown else {
          throw UsageError(
            "usage.invalid/needs", ["options": "--os and --limit", "other": "--blame and a VERSION"])
        }
      }
      switch shown {
      case .event(let seq):
        try UsageError.demand(!isBlame, "--blame", needs: "an app")
        let event = try ledger.event(seq)
        let page = EventPage(
          event: event, agreement: try ledger.agreement(to: event),
          evidence: event.evidence.flatMap { try? ledger.evidence($0).evidence })
        return try query.print(page.json) { page.text(context) }
      case .app(let app) where isBlame: return try BlamePage.print(app, query)
      case .app(let app): return try ledger.app(app).show(query)
      case .release(let app, let version) where isBlame:
        return try BlamePage.print(app, Client(version: version, os: os), limit: limit ?? 1, query)
      case .release(let app, let version):
        let page = try ReleasePage(ledger, app, version, clock: context.clock())
        return try query.print(page.json) { page.text(context) }
      }
    }
  }
}

private enum Shown: Sendable {
  case event(Int64)
  case app(String)
  case release(app: String, Version)
}

extension Parameter where Value == Shown {
  fileprivate static var shown: Parameter {
    .group(
      .argument("SEQ|APP", .eventOrApp, help: "The event's number, or the app"),
      .optionalArgument("VERSION", .version, help: "The release, or with --blame a client's version")
    ) { word, version in
      if let version { return .release(app: word, version) }
      return Int64(digits: word).map { .event($0) } ?? .app(word)
    }
  }
}

private struct EventPage {
  let event: EventRecord
  let agreement: (plan: Int64, signers: [String])?
  let evidence: Evidence?

  var json: JSON {
    let json = event.json.adding([
      "subject": .optional(event.subject), "changes": .array(changes(event.json).map(\.json)),
      "evidenceDetail": evidence?.json ?? .null,
    ])
    guard let agreement else { return json }
    return json.adding(["agreed": ["plan": .integer(agreement.plan), "signers": agreement.signers.json]])
  }

  private func changes(_ json: JSON) -> [FieldChange] {
    FieldChange.all(from: json["before"] ?? .null, to: json["after"] ?? .null)
  }

  func text(_ context: PawlContext) -> String {
    let json = event.json
    let proof = evidence.map {
      "\($0.id): \($0.kind.rawValue), \($0.proof.map { "proved by \($0)" } ?? "not proved")"
    }
    let actor = Actor(event)
    let who = [("event", String(event.seq)), ("at", context.zone.text(event.at)), ("who", actor.text)]
    let facts: [(String, String?)] = [
      ("what", EventText.what(event)), ("reason", event.reason), ("agreed by", agreedBy),
      ("evidence", proof ?? event.evidence.map { String($0) }),
      ("request id", event.requestID), ("hash", event.hash), ("about", event.subject),
    ]
    // Leave out row numbers, which only the schema needs, and former rows: `what` says which release is live
    // again.
    let seen = changes(json).filter { $0.field != "id" && !$0.field.hasPrefix("former.") }
    let changes = FieldChange.text(seen, context)
    let impact = Preview.text([ImpactLine](of: json["impact"]), context)
    return context.rendered(Table(facts: who + actor.way + facts)) + (changes.isEmpty ? "" : "\n" + changes)
      + impact
  }

  /// `ada, ben; plan: event 12`.
  private var agreedBy: String? {
    agreement.map { agreement in
      let names = agreement.signers.isEmpty ? "no signer" : agreement.signers.joined(separator: ", ")
      return agreement.plan == event.seq ? names : "\(names); plan: event \(agreement.plan)"
    }
  }
}

extension ValueType where Value == String {
  fileprivate static var eventOrApp: Self {
    ValueType(completion: .live(.eventOrApp)) { text throws(UsageError) in
      guard App.isSlug(text) else { return try String(ValueType<Int64>.number(ofEvent: text)) }
      return text
    }
  }
}

extension ValueType where Value == Int64 {
  static var eventNumber: Self {
    ValueType { text throws(UsageError) in try number(ofEvent: text) }
  }

  fileprivate static func number(ofEvent text: String) throws(UsageError) -> Int64 {
    guard let number = Int64(digits: text), number > 0 else {
      let command =
        (try? Version(text)) != nil ? "show APP \(text)" : App.isSlug(text) ? "history \(text)" : "history"
      throw UsageError("usage.invalid-value/number", ["command": "pawl \(command)"])
    }
    return number
  }
}
