import ReleaseModel
import SQLite

extension Partition {
  /// Compares the stored schedule with what its event leaves, and that with what clients are told at the
  /// head.
  func compareAnswers() throws {
    guard let slug else { return try compareOwners() }
    try verifier.sliced {
      try catchUp()
      guard state.lines[slug] != nil, let head = state.at else { return }
      do {
        let stored = try verifier.ledger.storedSchedule(of: state.snapshot(slug))
        guard let made = try made(slug, generation: stored.generation) else {
          return differs(stored.generation, "generation of \(slug): event \(stored.generation) is not there")
        }
        let wanted = made.rows
        if let place = zip(wanted, stored.rows).enumerated().first(where: {
          $1.0.cells != $1.1.cells || $1.0 != $1.1
        })?
        .offset ?? (wanted.count == stored.rows.count ? nil : min(wanted.count, stored.rows.count)) {
          let row = place < wanted.count ? wanted[place] : stored.rows[place]
          differs(
            stored.generation,
            "answer of \(slug), \(VersionRange(from: row.lo, to: row.hi)?.text ?? "") from \(row.from.text): "
              + "it is not what the decision function says")
        }
        if stored.digest != Schedule.digest(wanted, notes: made.notes) {
          differs(stored.generation, "generation of \(slug): its digest is not that of its answers")
        }
        let now = max(head, made.from)
        guard try !Schedule(state.snapshot(slug), from: now).saysTheSame(as: made, since: now) else { return }
        differs(
          stored.generation,
          "generation of \(slug): what clients are told has changed since, and no event recorded that"
        )
      } catch LedgerError.unreadableRow, LedgerError.noApp {
        // Somebody put a value there that the model does not know.
        differs(nil, "answer of \(slug): the rows cannot be read, or are not those of its event")
      }
    }
  }

  private func made(_ slug: String, generation: Int64) throws -> Schedule? {
    guard let at = try? Timestamp(verifier.ledger.event(generation).at) else { return nil }
    return Schedule(try generations.snapshot(slug, generation) ?? state.snapshot(slug), from: at)
  }

  private func differs(_ seq: Int64?, _ message: String) {
    verifier.report("answer.differs", seq, message)
  }

  private func compareOwners() throws {
    try verifier.sliced {
      try connection.forEach(
        """
        SELECT app_id FROM (SELECT app_id FROM answer UNION SELECT app_id FROM generation)
        WHERE app_id NOT IN (SELECT id FROM app)
        """
      ) { row in
        differs(nil, "answer of app \(try row.value(0).shown): there is no such app")
        return true
      }
    }
  }
}

extension Verifier {
  /// Compares each app's generation with the last event that says it changed the app's schedule, those that came
  /// after the chain was read included.
  func checkGenerations(_ chain: ChainFindings) throws {
    try sliced {
      var said = chain.generations
      try connection.forEach(
        "SELECT schedules, seq FROM event WHERE seq > ? AND schedules IS NOT NULL ORDER BY seq",
        .integer(chain.head.seq)
      ) { row in
        guard case .text(let names) = try row.value(0) else { return true }
        for name in names.split(separator: ",") { said[String(name)] = try row.integer(1) }
        return true
      }
      try connection.forEach("SELECT slug, generation.event_seq FROM app LEFT JOIN generation ON app_id = id")
      { row in
        guard case .text(let slug) = try row.value(0) else { return true }
        let last = said[slug] ?? 0
        if try row.value(1) != .integer(last) {
          report(
            "answer.differs", last,
            "generation of \(slug): it is \(try row.value(1).shown), but event \(last) is the last one that "
              + "changed its schedule")
        }
        return true
      }
    }
  }
}

/// The apps as the events that changed their schedules left them, where others came later: those that the
/// rows name, and the newest of those recorded meanwhile.
struct GenerationSnapshots {
  private struct Generation {
    let seq: Int64
    var snapshot: Snapshot?
  }

  private var known: [String: Generation]
  private var newer: [String: Generation] = [:]
  private let began: Int64

  init(_ known: [String: Int64] = [:], began: Int64) {
    self.known = known.mapValues { Generation(seq: $0) }
    self.began = began
  }

  func snapshot(_ slug: String, _ generation: Int64) -> Snapshot? {
    (newer[slug]?.seq == generation ? newer[slug] : known[slug])?.snapshot
  }

  /// Keeps the apps that the next event may change, before it is applied.
  mutating func keep(before seq: Int64, of state: LedgerState) {
    for (slug, generation) in known where generation.seq < seq && generation.snapshot == nil {
      known[slug]?.snapshot = try? state.snapshot(slug)
    }
    for (slug, generation) in newer where generation.snapshot == nil {
      newer[slug]?.snapshot = try? state.snapshot(slug)
    }
  }

  /// Notes the apps whose schedules an event changed, if it was recorded meanwhile.
  mutating func note(_ slugs: UnsafeRawBufferPointer, changedBy seq: Int64) {
    guard seq > began else { return }
    for slug in String(decoding: slugs, as: UTF8.self).split(separator: ",") {
      newer[String(slug)] = Generation(seq: seq)
    }
  }
}
