import CommandLineKit
import JSON
import ReleaseModel

/// How a change alters what a run of versions is told, as an answer or an event keeps it.
struct PreviewLine: JSONValue {
  let json: JSON
  let before: Action
  let after: Action
  let at: Timestamp

  init?(json: JSON) {
    guard let before = json["before"]?.string.flatMap(Action.init(rawValue:)),
      let after = json["after"]?.string.flatMap(Action.init(rawValue:)),
      let at = json["at"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    (self.json, self.before, self.after, self.at) = (json, before, after, at)
  }

  var app: String { json["app"]?.string ?? "" }
  var versions: String { json["versions"]?.string ?? "" }
  var count: Int64? { json["count"]?.integer }
  var os: String? { json["os"]?.string }
  var hears: Bool { json["hears"]?.bool ?? true }
  var devices: Int64? { json["devices"]?.integer }
  var share: Double? { json["share"]?.double }
  var countedAt: String? { json["countedAt"]?.string }

  /// The new URL, if it changes.
  var page: String? {
    let (before, after) = (json["urlBefore"]?.string, json["urlAfter"]?.string)
    return before == nil || before == after ? nil : after
  }
}

extension Impact {
  var preview: [PreviewLine] { lines.compactMap { PreviewLine(json: $0.json) } }
}

enum Preview {
  /// A table of the lines, newest rows last; empty if nothing changes.
  static func text(
    _ lines: [PreviewLine], _ context: PawlContext, _ zone: Zone = .utc,
    title: String = "What clients are told:"
  ) -> String {
    guard !lines.isEmpty else { return "" }
    let days = Set(lines.compactMap { $0.countedAt.map { String($0.prefix(10)) } }).sorted()
    let columns: [(Column, (PreviewLine) -> Cell)?] = [
      ("APP", { Cell($0.app) }), ("VERSIONS", { Cell($0.versions) }),
      (.right("COUNT"), { Cell($0.count.map { String($0) } ?? "–") }),
      lines.allSatisfy { $0.os == nil } ? nil : ("SYSTEM", { Cell($0.os ?? "all") }),
      days.isEmpty
        ? nil : (.right("DEVICES"), { Cell($0.devices.map { grouped(Int(clamping: $0)) } ?? "–") }),
      days.isEmpty ? nil : (.right("SHARE"), { Cell($0.share.map(Usage.text(ofShare:)) ?? "–") }),
      ("BEFORE", { Cell($0.before.rawValue) }),
      ("AFTER", { Cell($0.after.rawValue, Paint.style(of: $0.after)) }),
      ("FROM", { Cell(zone.text($0.at)) }),
      lines.allSatisfy { $0.page == nil } ? nil : ("PAGE", { Cell($0.page ?? "", .dim) }),
      lines.allSatisfy(\.hears)
        ? nil : ("NOTE", { Cell($0.hears ? "" : "does not check for updates", .dim) }),
    ]
    return "\n\(title)\n" + context.rendered(Table(of: lines, columns.compactMap(\.self)))
      + (days.isEmpty ? "" : "Devices as counted on \(days.joined(separator: " and ")).\n")
  }
}

enum Paint {
  static func style(of action: Action) -> Style {
    switch action {
    case .force: .red
    case .remind: .yellow
    case .none: .plain
    }
  }

  static func style(of state: ReleaseState) -> Style {
    switch state {
    case .live: .green
    case .prepared, .waiting, .inReview, .approved: .blue
    case .rejected, .withdrawn, .removed: .yellow
    case .superseded, .void: .dim
    }
  }
}
