package import JSON
package import ReleaseModel

/// What a client is told, without the reasons, which the client cannot notice.
package struct ToldAnswer: Sendable, Equatable {
  package let decision: Decision
  package let settings: [String: String]
  package let remindEvery: ReminderFrequency

  package init(_ snapshot: Snapshot, _ client: Client, at moment: Timestamp) {
    let decider = Decider(snapshot, at: moment)
    decision = decider.decide(client)
    settings = decider.settings(of: client.version, inReview: decision.review)
    remindEvery = snapshot.line.app.remindEvery
  }

  package var json: JSON {
    var told = Answer(decision, settings: settings).told(remindEvery: remindEvery).object ?? JSON.Object()
    // It is about one system and one moment.
    (told["tiers"], told["forcedFrom"]) = (nil, nil)
    return .object(told)
  }
}

/// A change of what a client is told, and its moment.
package struct ToldChange: Sendable, Equatable {
  /// Something that happened by time alone.
  package struct Cause: Sendable, Equatable {
    package let text: String
    package internal(set) var event: Int64
    /// The release, and which of its members holds the moment; nil for a rule.
    let release: (app: String, id: Int64, member: String)?

    package static func == (left: Cause, right: Cause) -> Bool {
      left.text == right.text && left.event == right.event
    }
  }

  package let at: Timestamp
  package let event: EventRecord?
  package internal(set) var causes: [Cause]
  package let before: ToldAnswer?
  package let after: ToldAnswer
}

/// What a client is told, and what made it so.
package struct ToldBlame: Sendable, Equatable {
  package let snapshot: Snapshot
  package let told: ToldAnswer
  package let changes: [ToldChange]
  package let head: Head
  package let moment: Timestamp
}
