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
        and what its clients are told now. With --blame, each field with the event that last changed it; 'check --explain' \
        names the events behind what clients are told.
        """,
      examples: [
        .init("pawl show 12", "the twelfth event"),
        .init("pawl show taxi", "one app"),
        .init("pawl show taxi 7.3.2", "one release, and how it came to its state"),
        .init("pawl show taxi 7.3.2 --blame", "who last changed each field of it"),
      ]
    ) {
      (
        .argument("SEQ|APP", .eventOrApp, help: "The event's number, or the app"),
        .optionalArgument("VERSION", .version, help: "The release"),
        .flag("--blame", help: "Show who last changed each field")
      )
    } run: { query, word, version, isBlame in
      let ledger = query.ledger
      if version == nil, let seq = Int64(digits: word) {
        try UsageError.demand(!isBlame, "--blame", needs: "an app")
        return try query.show(ledger.event(seq))
      }
      if isBlame { return try blame(word, version, query) }
      guard let version else { return try ledger.app(word).show(query) }
      return try query.show(word, version)
    }
  }

  /// Shows who last changed each field of an app or a release.
  private static func blame(_ app: String, _ version: Version?, _ query: Query) throws -> ExitCode {
    let line = try query.ledger.line(app)
    let fields = try version.map { try query.ledger.blame(app: app, $0) } ?? query.ledger.blame(app: app)
    if let version, fields.isEmpty {
      throw Refusal.noRelease(version, nearest: line.nearest(to: version)).of("show \(version.text)", on: app)
    }
    let json: JSON = ["app": .string(app), "fields": .array(fields.map(\.json))]
    return try query.print(version.map { json.adding(["version": .string($0.text)]) } ?? json) {
      FieldBlame.table(fields.map { $0.named(by: line) }, query.context)
        ?? "No event changed this \(version == nil ? "app" : "release").\n"
    }
  }
}

extension Query {
  /// Shows an event with the evidence that it relied on, and who agreed to it.
  fileprivate func show(_ event: EventRecord) throws -> ExitCode {
    let agreement = try ledger.agreement(to: event)
    let evidence = event.evidence.flatMap { try? ledger.evidence($0).evidence }
    let record = event.json
    let changes = FieldChange.all(from: record["before"] ?? .null, to: record["after"] ?? .null)
    let json = record.adding([
      "subject": .optional(event.subject), "changes": .array(changes.map(\.json)),
      "evidenceDetail": evidence?.json ?? .null,
    ])
    let agreed = agreement.map {
      ["agreed": ["plan": .integer($0.plan), "signers": $0.signers.json]] as JSON
    }
    return try print(agreed.map(json.adding) ?? json) {
      // Such as `ada, ben; plan: event 12`.
      let agreedBy = agreement.map { agreement in
        let names = agreement.signers.isEmpty ? "no signer" : agreement.signers.joined(separator: ", ")
        return agreement.plan == event.seq ? names : "\(names); plan: event \(agreement.plan)"
      }
      let proof = evidence.map { evidence in
        let shown = evidence.proof.map { (evidence.isProved ? "proved by " : "not proved: ") + $0 }
        return "\(evidence.id): \(evidence.kind.rawValue), \(shown ?? "not proved")"
      }
      let actor = Actor(event)
      let who = [("event", String(event.seq)), ("at", context.zone.text(event.at)), ("who", actor.text)]
      let facts: [(String, String?)] = [
        ("what", context.inZone(EventText.what(event), butFor: EventText.verbatim(event))),
        ("reason", event.reason), ("agreed by", agreedBy),
        ("evidence", proof ?? event.evidence.map { String($0) }),
        ("request id", event.requestID), ("hash", event.hash), ("about", event.subject),
      ]
      // Of a plan, what was signed. Leave out row numbers, which only the schema needs, and former rows: `what` says which
      // release is live again.
      let seen =
        record["after"].flatMap(SignedPlan.init(json:)).map {
          ShownPlan.whatIsSigned($0, context, more: "pawl show \(event.seq) --json")
        }
        ?? FieldChange.text(
          changes.filter { $0.field != "id" && !$0.field.hasPrefix("former.") }, context)
      let impact = Preview(context: context, ledger: ledger).text([ImpactLine](of: record["impact"]))
      return context.rendered(Table(facts: who + actor.way + facts)) + (seen.isEmpty ? "" : "\n" + seen)
        + impact
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

extension FieldBlame {
  /// The fields that were ever set, under the events that did so; nil if there are none.
  fileprivate static func table(_ fields: [FieldBlame], _ context: PawlContext) -> String? {
    func short(_ value: JSON) -> String { printable(FieldChange.shown(value, context.zone), limit: 48) }
    let set = fields.filter { ![.null, false, []].contains($0.value) || $0.was != nil }
      .sorted { ($1.event.seq, $0.field) < ($0.event.seq, $1.field) }
    var table = Table(
      of: set,
      [
        ("FIELD", { Cell(FieldChange.label($0.field)) }), ("IS", { Cell(short($0.value)) }),
        ("WAS", { Cell($0.was.map(short) ?? "–", .dim) }),
      ])
    for (index, field) in set.enumerated() where index == 0 || set[index - 1].event.seq != field.event.seq {
      let (event, gap) = (field.event, index == 0 ? "" : "\n")
      let reason = event.reason.map { ": \(printable($0))" } ?? ""
      let at = (try? Timestamp(event.at)).map(context.text) ?? event.at
      let heading = "event \(event.seq), \(at), \(Actor(event).text)\(reason)"
      table.above[index] = gap + context.page(heading) + "\n"
    }
    return set.isEmpty ? nil : context.rendered(table)
  }

  /// The field as people read it: a release by its version, where programs get the row's number.
  fileprivate func named(by line: AppState) -> FieldBlame {
    guard field == "supersededBy" else { return self }
    func version(_ row: JSON) -> JSON {
      row.integer.flatMap { id in line.release(id: id) }.map { .string($0.version.text) }
        ?? row
    }
    var named = self
    named.value = version(value)
    named.was = was.map(version)
    return named
  }

  fileprivate var json: JSON {
    [
      "field": .string(field), "value": value, "was": was ?? .null, "first": .bool(was == nil),
      "event": .integer(event.seq), "at": .string(event.at), "kind": .string(event.kind),
      "actor": Actor(event).json, "reason": .optional(event.reason),
    ]
  }
}
