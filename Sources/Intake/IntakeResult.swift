package import JSON
package import ReleaseModel

/// What came in and what became of it: one result of `ingest`.
package struct IntakeResult: Sendable, Equatable {
  package let source: String
  /// Nil if the same evidence was there already.
  package var outcome: Evidence.Outcome?
  package var app: String?
  package var version: Version?
  package var from: ReleaseState?
  package var to: ReleaseState?
  package var reason: String?
  package var evidence: Int64?

  init(_ evidence: Evidence, source: String, from: ReleaseState? = nil) {
    self.source = source
    outcome = evidence.outcome
    app = evidence.app
    version = evidence.version
    self.from = from
    to = evidence.state
    reason = evidence.reason
    self.evidence = evidence.id
  }

  /// Reads the result that an earlier answer keeps.
  package init(_ json: JSON) {
    func text<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
      json[name]?.string.flatMap(read)
    }
    source = json["source"]?.string ?? ""
    outcome = text("outcome", Evidence.Outcome.init)
    app = json["app"]?.string
    version = text("version") { try? Version($0) }
    from = text("from", ReleaseState.init)
    to = text("to", ReleaseState.init)
    reason = json["reason"]?.string
    evidence = json["evidence"]?.integer
  }

  /// What became of it, in a word.
  package var word: String { outcome?.rawValue ?? "duplicate" }

  package var json: JSON {
    [
      "source": .string(source), "outcome": .string(word), "app": .optional(app),
      "version": .optional(version?.text), "from": .optional(from?.rawValue), "to": .optional(to?.rawValue),
      "reason": .optional(reason), "evidence": .optional(evidence),
    ]
  }
}

/// How much unproved evidence may wait in the inbox, so that strangers cannot fill the disk.
package struct EvidenceQuota: Sendable, Equatable {
  package static let standard: Int64 = 64_000_000

  package private(set) var used: Int64
  package let limit: Int64

  package init(used: Int64, limit: Int64 = standard) {
    self.used = used
    self.limit = limit
  }

  /// Whether there is no room for evidence of a size.
  package func isFull(for size: Int64) -> Bool { limit - used < size }

  /// Takes room for evidence.
  ///
  /// - Throws: `Refusal`: `evidence.quota`. The evidence must then be delivered again, after someone has looked at the inbox.
  mutating func take(_ size: Int64) throws(Refusal) {
    guard !isFull(for: size) else {
      throw Refusal(EvidenceQuota.reached, ["limit": String(limit)], details: ["used": .integer(used)])
    }
    used += size
  }

  package static let reached = "evidence.quota"
}
