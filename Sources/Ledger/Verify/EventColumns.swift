import JSON
import ReleaseModel
import SQLite

/// Checks the columns of an event that need no replay against what pawl writes into them.
struct EventColumns {
  /// The last actor that was seen; few differ from the one before.
  private var actor: [UInt8] = []

  /// What is wrong with an event; nil if nothing is.
  ///
  /// - Parameter cells: The columns in the order of the table.
  mutating func objection(to cells: [LentValue]) -> String? {
    guard cells.count > 15 else { return nil }
    if !isActor(cells[10]) { return "has an actor that pawl never writes" }
    if !isReason(cells[11]) { return "has a reason that nobody can give" }
    guard let name = cells[3].text,
      let kind = EventKind(rawValue: String(decoding: name.prefix(40), as: UTF8.self))
    else { return nil }
    if kind == .request, cells[13].text == nil { return "lacks the request that events of its kind repeat" }
    for (column, place) in EventColumns.places where !kind.says(column) {
      guard case .null = cells[place] else {
        return "has what events of its kind, \(kind.rawValue), never have: \(column)"
      }
    }
    return nil
  }

  private static let places: [(EventColumn, Int)] = [
    (.app, 4), (.version, 5), (.subject, 6), (.before, 7), (.after, 8), (.evidence, 12),
  ]

  /// Whether a cell holds a reason that `--reason` accepts, or none.
  private func isReason(_ cell: LentValue) -> Bool {
    guard let text = cell.text else { return true }
    return text.count <= 1_000 && text.contains { $0 > 0x20 }
      && !text.contains { $0 < 0x20 || $0 == 0x7F } && String(validating: text, as: UTF8.self) != nil
  }

  private mutating func isActor(_ cell: LentValue) -> Bool {
    guard let text = cell.text else { return false }
    if text.isSame(as: actor) { return true }
    guard let json = try? JSON(parsing: text), EventColumns.isActor(json) else { return false }
    actor = Array(text)
    return true
  }

  /// Whether a value is an actor as this pawl writes it, or as an older one did that knew only the first four
  /// members.
  private static func isActor(_ json: JSON) -> Bool {
    guard let members = json.object?.members, json["user"]?.string != nil, json["host"]?.string != nil,
      json["uid"]?.integer != nil, json["claimed"] != nil
    else { return false }
    return members.allSatisfy { member in
      let value = member.value
      return switch member.key {
      case "user", "host": value.string != nil
      case "uid": value.integer != nil
      case "loginUid": value == .null || value.integer != nil
      case "claimed", "principal": value == .null || value.string != nil
      case "terminal": value.bool != nil
      case "ssh", "ci": value == .null || value.object.map { $0.members.allSatisfy(\.value.isPlain) } ?? false
      default: false
      }
    }
  }
}

/// A column that not every kind of event has.
private enum EventColumn { case app, version, subject, before, after, evidence }

extension JSON {
  /// Whether it is neither an object nor an array.
  fileprivate var isPlain: Bool { object == nil && array == nil }
}

extension EventKind {
  /// Whether an event of the kind may have a column; its content is checked in the replay.
  fileprivate func says(_ column: EventColumn) -> Bool {
    switch self {
    case .request: false
    case .ledgerInit, .clockCorrect, .ledgerTakeOver: column == .after
    case .trustAdd: column == .after || column == .subject
    case .trustRemove: column == .before || column == .subject
    case .exportSet, .exportClear: column == .before || column == .after || column == .subject
    case .planApply: column != .app && column != .before && column != .evidence
    case .appAdd: column == .app || column == .after || column == .subject
    case .appVoid: column == .app || column == .before || column == .subject
    case .appSet, .appStop, .appResume, .appRetire, .appRestore: column != .version && column != .evidence
    case .releasePublish, .releaseImport, .ruleNone, .ruleRemind, .ruleForce, .ruleRestore:
      column != .before && column != .evidence
    case .ruleLift: column != .after && column != .evidence
    case .releaseUnmark, .releaseVoid, .redirectSet, .redirectClear, .settingSet, .settingClear:
      column != .evidence
    case .evidenceAdd: column != .before
    case .releaseAmend, .releaseMark, .evidenceSettle: true
    }
  }
}
