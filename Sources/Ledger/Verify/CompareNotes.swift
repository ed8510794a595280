import SQLite

/// Holding the notes of the releases against what the events say.
extension Verifier {
  /// The rows that are there of one release.
  private struct FoundNotes {
    let release: Int64
    var digest = CellDigest()
    var position: Int64 = 0
    /// The one event that all rows name so far.
    var event: Int64?
    var isOfOneEvent = true
    var isPlain = true

    mutating func take(_ cells: [LentValue]) {
      digest.take(cells[1..<4])
      if case .integer(let found) = cells[1], found == position {} else { isPlain = false }
      if case .integer(let seq) = cells[4] {
        if position > 0, event != seq { isOfOneEvent = false }
        event = seq
      } else {
        isPlain = false
      }
      position += 1
    }
  }

  private static let columns = "release_id, position, locale, text, event_seq"
  private static var noteCells: [LentValue] { Array(repeating: .null, count: 5) }

  /// Compares the notes of every release that has some.
  func compareNotes() throws {
    var last = Int64.min
    var hasMore = true
    var cells = Verifier.noteCells
    while hasMore {
      hasMore = try sliced {
        try catchUp()
        var current: FoundNotes?
        var read = 0
        var isCut = false
        try connection.forEach(
          "SELECT \(Verifier.columns) FROM note WHERE release_id > ? ORDER BY release_id, position",
          .integer(last)
        ) { row in
          try row.lend(into: &cells)
          let release = try row.integer(0)
          if let found = current, found.release != release {
            compare(found)
            last = found.release
            current = nil
            // A slice ends between the notes of two releases, never within them.
            if read >= 0xFF {
              read = 0
              isCut = isTimeUp
              if isCut { return false }
            }
          }
          if current == nil { current = FoundNotes(release: release) }
          current?.take(cells)
          read += 1
          return true
        }
        if let current { compare(current) }
        return isCut
      }
    }
  }

  private func compare(_ found: FoundNotes) {
    guard let expected = walk.tables.notes[found.release] else {
      report(
        Fault("row.unexpected", seq: found.event, "note of release \(found.release): no event made it"))
      return
    }
    walk.tables.notes[found.release]?.isSeen = true
    let name = "note of release \(found.release)"
    if !found.isPlain || found.digest.finish() != expected.content {
      report(
        Fault("row.differs", seq: expected.own, "\(name): its notes are not what event \(expected.own) says"))
    } else if !found.isOfOneEvent || found.event != expected.own {
      report(Fault("row.differs", seq: expected.own, "\(name): event_seq is not \(expected.own)"))
    }
  }

  /// Looks once more for the notes that the events made and no slice met.
  func sweepNotes() throws {
    var cells = Verifier.noteCells
    for id in walk.tables.notes.unseen {
      try sliced {
        try catchUp()
        guard let expected = walk.tables.notes[id] else { return }
        var found: FoundNotes?
        try connection.forEach(
          "SELECT \(Verifier.columns) FROM note WHERE release_id = ? ORDER BY position", .integer(id)
        ) { row in
          if found == nil { found = FoundNotes(release: id) }
          try row.lend(into: &cells)
          found?.take(cells)
          return true
        }
        if let found { return compare(found) }
        report(
          Fault(
            "row.missing", seq: expected.own,
            "note of release \(id): the notes that event \(expected.own) made are gone"))
      }
    }
  }
}
