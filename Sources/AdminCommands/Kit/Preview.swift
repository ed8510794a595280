import CommandLineKit
import JSON
import Ledger
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
  var until: Timestamp? { json["until"]?.string.flatMap { try? Timestamp($0) } }

  /// The release under way that is visible in the line's case.
  var when: String? { json["when"]?.string }

  /// Whether it forces the oldest versions, of which none is recorded.
  var forcesUnrecorded: Bool {
    after == .force && before != .force && count == 0 && (try? VersionRange(versions))?.lower == nil
  }
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
  /// What is said where no prompt changes.
  static func text(_ rest: Impact.Rest) -> String {
    switch rest {
    case .nothing: "Nothing changes for clients.\n"
    case .reasons: "Clients are told the same, for another reason.\n"
    case .details: "No prompt changes; targets, notes or settings do.\n"
    }
  }

  /// A table of the lines, newest rows last; empty if no prompt changes.
  static func text(
    _ lines: [PreviewLine], _ context: PawlContext, _ zone: Zone = .utc,
    title: String = "What clients are told:", namesPast: Bool = false
  ) -> String {
    guard !lines.isEmpty else { return "" }
    let days = Set(lines.compactMap { $0.countedAt.map { String($0.prefix(10)) } }).sorted()
    let ahead = lines.filter { $0.when != nil }.map(\.at).min()
    func from(_ line: PreviewLine) -> String {
      guard let release = line.when else { return zone.text(line.at) }
      return "when \(release) is visible" + (line.at == ahead ? "" : ", " + zone.text(line.at))
    }
    let columns: [(Column, (PreviewLine) -> Cell)?] = [
      ("APP", { Cell($0.app) }), ("VERSIONS", { Cell($0.versions) }),
      (.right("KNOWN"), { Cell($0.count.map { String($0) } ?? "–") }),
      lines.allSatisfy { $0.os == nil } ? nil : ("SYSTEM", { Cell($0.os ?? "all") }),
      days.isEmpty
        ? nil : (.right("DEVICES"), { Cell($0.devices.map { grouped(Int(clamping: $0)) } ?? "–") }),
      days.isEmpty ? nil : (.right("SHARE"), { Cell($0.share.map(Usage.text(ofShare:)) ?? "–") }),
      ("BEFORE", { Cell($0.before.rawValue) }),
      ("AFTER", { Cell($0.after.rawValue, Paint.style(of: $0.after)) }),
      ("FROM", { Cell(from($0)) }),
      lines.allSatisfy { $0.until == nil } ? nil : ("UNTIL", { Cell($0.until.map(zone.text) ?? "–") }),
      lines.allSatisfy { $0.page == nil } ? nil : ("PAGE", { Cell($0.page ?? "", .dim) }),
      lines.allSatisfy(\.hears)
        ? nil : ("NOTE", { Cell($0.hears ? "" : "does not check for updates", .dim) }),
    ]
    let unrecorded = namesPast ? lines.first(where: \.forcesUnrecorded) : nil
    let past = unrecorded.map { line in
      "None of \(line.versions) is recorded. To count what was shipped before: pawl import \(line.app) FILE --past\n"
    }
    // None that is recorded, so none that was ever live.
    let unfiled = lines.filter { $0.count == 0 && $0.after != .none }.compactMap {
      try? VersionRange($0.versions)
    }
    return "\n\(title)\n" + context.rendered(Table(of: lines, columns.compactMap(\.self)))
      + CheckRanges.misinformed(unfiled) + (past ?? "")
      + (days.isEmpty ? "" : "Devices as counted on \(days.joined(separator: " and ")).\n")
  }
}

extension Question {
  var words: String {
    let version = release?.text ?? "the release"
    return switch need {
    case .forces: "clients would be forced to update"
    case .stricter: "clients that see no prompt today would be prompted"
    case .page: "clients would be sent to another page"
    case .expiring:
      "clients would be forced to \(version), which stops opening at \(at?.text ?? "some time soon")"
    case .undo: "the command would be taken back"
    case .hold:
      "\(version) would count as live since \(at?.text ?? "then"): more than a day before it was recorded, or with its hold over at once"
    case .neverShipped: "this declares that \(version) was never uploaded to App Store Connect"
    default: need.words
    }
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
