import JSON
import ReleaseModel
import SQLite

/// Checks the columns of an event that need no replay against what pawl writes into them.
struct EventColumns {
  private var actor: [UInt8] = []

  mutating func objection(to cells: [LentValue]) -> String? {
    guard cells.count > 15 else { return nil }
    if !isActor(cells[10]) { return "has an actor that pawl never writes" }
    if !isReason(cells[11]) { return "has a reason that cannot be typed" }
    guard let name = cells[3].text,
      let kind = EventKind(rawValue: String(decoding: name.prefix(40), as: UTF8.self))
    else { return nil }
    if kind == .request, cells[13].text == nil { return "lacks the request that events of its kind repeat" }
    let columns = kind.traits.columns
    for (column, name, place) in EventColumns.places where !columns.contains(column) {
      guard case .null = cells[place] else {
        return "has what events of its kind, \(kind.rawValue), never have: \(name)"
      }
    }
    return nil
  }

  private static let places: [(EventTraits.Columns, String, Int)] = [
    (.app, "app", 4), (.version, "version", 5), (.subject, "subject", 6), (.before, "before", 7),
    (.after, "after", 8), (.evidence, "evidence", 12),
  ]

  private func isReason(_ cell: LentValue) -> Bool {
    guard let text = cell.text else { return true }
    return String(validating: text, as: UTF8.self)?.isLine == true
  }

  private mutating func isActor(_ cell: LentValue) -> Bool {
    guard let text = cell.text else { return false }
    if text.isSame(as: actor) { return true }
    guard let json = try? JSON(parsing: text), EventColumns.isActor(json) else { return false }
    actor = Array(text)
    return true
  }

  /// Whether a value is an actor as this pawl writes it, or an older one that knew only four members.
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

extension JSON {
  fileprivate var isPlain: Bool { object == nil && array == nil }
}
