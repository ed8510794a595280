import CommandLineKit
import JSON
import ReleaseModel

/// One field of an object that a change altered.
struct FieldChange: Equatable {
  /// The member names from the outermost in, separated by points: `notes.en`.
  let field: String
  let before: JSON
  let after: JSON

  var json: JSON { ["field": .string(field), "before": before, "after": after] }

  var label: String { FieldChange.label(field) }

  /// A member's name as people read it: `live by` for `liveBy`.
  static func label(_ name: String) -> String {
    switch name {
    case "appleID": return "Apple ID"
    case "ascBuild": return "App Store Connect build"
    case "ascID": return "App Store Connect ID"
    case "ascMinOS": return "App Store Connect minimum OS"
    case "bundleID": return "bundle id"
    case "expect": return "expects"
    case "firstVisibleAt": return "first visible from"
    case "liveAt": return "live since"
    case "locales": return "notes"
    case "messageID": return "message id"
    case "minOS": return "minimum OS"
    case "sku": return "SKU"
    case "remindAt": return "reminders from"
    case "storeURL": return "store URL"
    case "storeURLGiven": return "store URL given"
    case "url": return "URL"
    case "visibleAt": return "visible from"
    case _ where name.contains("."): return name.map { $0 == "." ? " " : String($0) }.joined()
    default: return name.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
    }
  }

  /// Members of an answer as facts under their labels, in order; nil for those that say nothing.
  static func facts(_ json: JSON, _ names: [String], _ zone: Zone = .utc) -> [(String, String?)] {
    names.map { name in
      let value = json[name] ?? .null
      return (label(name), [.null, false, []].contains(value) ? nil : shown(value, zone))
    }
  }

  /// The fields that differ, sorted by name; a nested object is compared field by field.
  static func all(from before: JSON, to after: JSON) -> [FieldChange] {
    let fields = (members(before) + members(after)).map(\.key)
    return Set(fields).sorted().flatMap { key -> [FieldChange] in
      let (old, new) = (before[key] ?? .null, after[key] ?? .null)
      guard old != new, !(isNothing(old) && isNothing(new)) else { return [] }
      let isObject = !members(old).isEmpty || !members(new).isEmpty
      guard isObject else { return [FieldChange(field: key, before: old, after: new)] }
      return all(from: old, to: new).map {
        FieldChange(field: "\(key).\($0.field)", before: $0.before, after: $0.after)
      }
    }
  }

  private static func isNothing(_ value: JSON) -> Bool {
    value == .null || value.object?.members.isEmpty == true
  }

  private static func members(_ value: JSON) -> [(key: String, value: JSON)] {
    (value.object?.members ?? []).map { ($0.key, $0.value) }
  }

  /// A table of short values, followed by the long ones line by line, as in a diff.
  static func text(_ changes: [FieldChange], _ context: PawlContext) -> String {
    func shown(_ value: JSON) -> String { FieldChange.shown(value, context.zone) }
    func lines(_ value: JSON, _ sign: String, _ style: Style) -> String {
      guard value != .null else { return "" }
      return shown(value).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
        "  " + style.apply("\(sign) \(printable(String($0)))", enabled: context.hasStyles) + "\n"
      }.joined()
    }
    let short = changes.filter { !isLong(shown($0.before)) && !isLong(shown($0.after)) }
    let table = Table(
      of: short,
      [
        ("FIELD", { Cell($0.label) }), ("BEFORE", { Cell(shown($0.before), .red) }),
        ("AFTER", { Cell(shown($0.after), .green) }),
      ])
    let long = changes.filter { !short.contains($0) }.map { change in
      "\n" + Style.bold.apply(printable(change.label), enabled: context.hasStyles) + "\n"
        + lines(change.before, "-", .red) + lines(change.after, "+", .green)
    }
    return (short.isEmpty ? "" : context.rendered(table)) + long.joined()
  }

  private static func isLong(_ text: String) -> Bool {
    text.utf8.count > 48 || text.contains(where: \.isNewline)
  }

  /// A locale as people read it.
  static func language(_ locale: String) -> String { locale == Note.undetermined ? "(no language)" : locale }

  static func shown(_ value: JSON, _ zone: Zone) -> String {
    switch value {
    case .null: "–"
    case .string(let text): zone.text(text)
    case .bool(let isSo): isSo ? "yes" : "no"
    case .array(let values) where values.allSatisfy { $0.string != nil }:
      values.isEmpty ? "–" : values.compactMap(\.string).map(language).joined(separator: ",")
    default: value.text()
    }
  }
}
