import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct ShowEventOptions: Sendable {
  var common = CommonOptions()
  var zone = ZoneOptions()
  var seq: Int64 = 0
}

extension Command where Context == PawlContext {
  /// One event.
  static var show: Command {
    Command(
      "show", summary: "Show one event: who, when, why, and what was before and after",
      discussion: "Also the evidence it relied on, and the events before and after it about the same thing.",
      examples: [
        .init("pawl show 12", "the twelfth event"),
        .init("pawl show 12 --zone America/New_York", "the same, in the time of New York"),
      ],
      section: "Record", options: { ShowEventOptions() },
      parameters: {
        [
          .argument("SEQ", .eventNumber.offering(.live(.event)), help: "The event's number") {
            $0.seq = $1
          }
        ]
          + ZoneOptions.parameters.pulled(\.zone) + CommonOptions.parameters.pulled(\.common)
      }
    ) { options, _, context in
      let zone = try options.zone.zone(context)
      let ledger = try options.common.open(context)
      defer { ledger.close() }
      let event = try ledger.event(options.seq)
      let page = EventPage(
        event: event, neighbours: try ledger.neighbours(of: event),
        evidence: event.evidence.flatMap { try? ledger.evidence($0).evidence })
      if options.common.isJSON {
        try context.print(page.json.text() + "\n")
      } else {
        try context.print(page.text(zone, context))
      }
      return .success
    }
  }
}

/// All there is to say about one event.
private struct EventPage {
  let event: EventRecord
  let neighbours: (previous: Int64?, next: Int64?)
  let evidence: Evidence?

  /// The members of the event, and what the page adds to them.
  var json: JSON {
    let json = event.json
    guard var object = json.object else { return json }
    object["subject"] = .optional(event.subject)
    object["previous"] = .optional(neighbours.previous)
    object["next"] = .optional(neighbours.next)
    object["changes"] = .array(changes(json).map(\.json))
    object["evidenceDetail"] = evidence?.json ?? .null
    return .object(object)
  }

  private func changes(_ json: JSON) -> [FieldChange] {
    FieldChange.all(from: json["before"] ?? .null, to: json["after"] ?? .null)
  }

  func text(_ zone: Zone, _ context: PawlContext) -> String {
    let json = event.json
    var table = Table(columns: [Column(""), Column("")])
    func add(_ label: String, _ text: String?) {
      if let text { table.add([Cell(label, .dim), Cell(text)]) }
    }
    add("event", String(event.seq))
    add("at", zone.text(event.at))
    add("who", EventText.who(json))
    for line in EventText.way(json["actor"]) { add(line.label, line.text) }
    add("what", EventText.what(json))
    add("reason", event.reason)
    add("evidence", evidence.map(EventPage.words) ?? event.evidence.map { String($0) })
    add("request id", event.requestID)
    add("hash", event.hash)
    add("about", event.subject.map { about($0) })
    let changes = FieldChange.text(changes(json), zone, context)
    let impact = Preview.text((json["impact"]?.array ?? []).map { local($0, zone) }, context)
    return context.rendered(table) + (changes.isEmpty ? "" : "\n" + changes) + impact
  }

  /// A line of the impact with its moment in the zone.
  private func local(_ line: JSON, _ zone: Zone) -> JSON {
    guard var object = line.object, let at = object["at"]?.string else { return line }
    object["at"] = .string(zone.text(at))
    return .object(object)
  }

  private static func words(_ evidence: Evidence) -> String {
    "\(evidence.id): \(evidence.kind.rawValue), \(evidence.proof.map { "proved by \($0)" } ?? "not proved")"
  }

  /// `release/3, before in event 4, after in event 9`.
  private func about(_ subject: String) -> String {
    subject + (neighbours.previous.map { ", before in event \($0)" } ?? "")
      + (neighbours.next.map { ", after in event \($0)" } ?? "")
  }
}

extension ValueType where Value == Int64 {
  /// The number of an event.
  static var eventNumber: Self {
    ValueType { text throws(ValueError) in
      guard let number = Int64(text), number > 0, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        let isVersion = (try? Version(text)) != nil
        throw ValueError(
          "not a whole number from 1 up",
          hint: isVersion
            ? "for a release see 'pawl history APP --version \(text)'"
            : App.isSlug(text) ? "for an app see 'pawl history \(text)'" : "see 'pawl history'")
      }
      return number
    }
  }
}
