import CommandLineKit
import JSON
import ReleaseModel

/// How a change alters what a run of versions is told, as an answer or an event keeps it.
struct PreviewLine: JSONValue {
  let json: JSON
  let app: String
  let versions: String
  let count: Int64?
  let before: Action
  let after: Action
  let at: Timestamp
  let urlBefore: String?
  let urlAfter: String?
  /// The systems concerned; nil for all.
  let os: String?
  let hears: Bool
  /// The number of devices that run these versions; nil if nobody has counted them.
  let devices: Int64?
  let share: Double?
  let countedAt: String?

  init?(json: JSON) {
    guard let before = json["before"]?.string.flatMap(Action.init(rawValue:)),
      let after = json["after"]?.string.flatMap(Action.init(rawValue:)),
      let at = json["at"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    self.json = json
    app = json["app"]?.string ?? ""
    versions = json["versions"]?.string ?? ""
    count = json["count"]?.integer
    self.before = before
    self.after = after
    self.at = at
    urlBefore = json["urlBefore"]?.string
    urlAfter = json["urlAfter"]?.string
    os = json["os"]?.string
    hears = json["hears"]?.bool ?? true
    devices = json["devices"]?.integer
    share = json["share"]?.double
    countedAt = json["countedAt"]?.string
  }

  /// The new URL, if it changes.
  fileprivate var page: String? { urlBefore == nil || urlBefore == urlAfter ? nil : urlAfter }
}

extension Impact {
  /// The lines as an answer keeps them.
  var preview: [PreviewLine] { lines.compactMap { PreviewLine(json: $0.json) } }
}

/// What a change alters for clients, as text.
enum Preview {
  /// A table of the lines, newest rows last; empty if nothing changes.
  static func text(
    _ lines: [PreviewLine], _ context: PawlContext, _ zone: Zone = .utc,
    title: String = "What clients are told:"
  ) -> String {
    guard !lines.isEmpty else { return "" }
    let days = Set(lines.compactMap { $0.countedAt.map { String($0.prefix(10)) } }).sorted()
    let people: [Column] = days.isEmpty ? [] : [.right("DEVICES"), .right("SHARE")]
    let pages: [Column] = lines.contains { $0.page != nil } ? ["PAGE"] : []
    let systems: [Column] = lines.contains { $0.os != nil } ? ["SYSTEM"] : []
    let hearing: [Column] = lines.allSatisfy(\.hears) ? [] : ["NOTE"]
    let start: [Column] = ["APP", "VERSIONS", .right("COUNT")]
    let middle: [Column] = ["WAS TOLD", "IS TOLD", "FROM"]
    var table = Table(columns: start + systems + people + middle + pages + hearing)
    for line in lines {
      let people = [
        Cell(line.devices.map { grouped(Int(clamping: $0)) } ?? "–"),
        Cell(line.share.map(Usage.text(ofShare:)) ?? "–"),
      ]
      table.add(
        [Cell(line.app), Cell(line.versions), Cell(line.count.map { String($0) } ?? "–")]
          + (systems.isEmpty ? [] : [Cell(line.os ?? "all")]) + (days.isEmpty ? [] : people) + [
            Cell(line.before.rawValue), Cell(line.after.rawValue, Paint.style(of: line.after)),
            Cell(zone.text(line.at)),
          ] + (pages.isEmpty ? [] : [Cell(line.page ?? "", .dim)])
          + (line.hears ? [] : [Cell("does not check for updates", .dim)]))
    }
    return "\n\(title)\n" + context.rendered(table)
      + (days.isEmpty ? "" : "Devices as counted on \(days.joined(separator: " and ")).\n")
  }
}

/// The colours that mean something.
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
