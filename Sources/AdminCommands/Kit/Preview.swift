import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension [ImpactLine] {
  /// The lines of an impact as an answer or an event keeps it.
  init(of impact: JSON?) { self = (impact?.array ?? []).compactMap(ImpactLine.init(json:)) }
}

extension ImpactLine {
  /// Whom a release would force of a past that is not recorded.
  var pastWords: String {
    "\(app)'s past is not recorded; versions below \(below), if anybody has them, would be forced"
  }

  /// The ways on where somebody has them, and where nobody has.
  var pastWays: String {
    "if nobody has them: pawl app set \(app) --past whole; if somebody has: pawl import \(app) FILE --past"
  }

  /// The same, with the third way for someone who is asked.
  var pastHint: String? {
    ErrorWords("confirm.required/past", ["ways": pastWays, "below": below]).hint
  }

  private var below: String { range.upper?.version.text ?? "all" }
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
  ///
  /// - Parameters:
  ///   - whole: The apps whose past is whole: no one has a version that is not recorded.
  ///   - past: What is said of versions that may have been shipped before.
  static func text(_ lines: [ImpactLine], _ context: PawlContext, whole: Set<String> = [], past: String = "")
    -> String
  {
    guard !lines.isEmpty else { return "" }
    let zone = context.zone
    let days = Set(lines.compactMap { $0.people?.countedAt.day }).sorted()
    let ahead = lines.filter { $0.visible != nil }.map(\.at).min()
    func from(_ line: ImpactLine) -> String {
      guard let visible = line.visible else { return zone.text(line.at) }
      return visible.words(in: line.app) + (line.at == ahead ? "" : ", " + zone.text(line.at))
    }
    let columns: [(Column, (ImpactLine) -> Cell)?] = [
      ("APP", { Cell($0.app) }), ("VERSIONS", { Cell($0.range.text) }),
      (.right("KNOWN"), { Cell(String($0.count)) }),
      lines.allSatisfy { $0.os == nil } ? nil : ("SYSTEM", { Cell($0.os ?? "all") }),
      days.isEmpty
        ? nil : (.right("DEVICES"), { Cell($0.people.map { grouped(Int(clamping: $0.devices)) } ?? "–") }),
      days.isEmpty ? nil : (.right("SHARE"), { Cell($0.people?.shareText ?? "–") }),
      ("BEFORE", { Cell($0.before.rawValue) }),
      ("AFTER", { Cell($0.after.rawValue, Paint.style(of: $0.after)) }),
      ("FROM", { Cell(from($0)) }),
      lines.allSatisfy { $0.until == nil } ? nil : ("UNTIL", { Cell($0.until.map(zone.text) ?? "–") }),
      lines.allSatisfy { $0.page == nil } ? nil : ("PAGE", { Cell($0.page ?? "", .dim) }),
      lines.allSatisfy(\.hears)
        ? nil : ("NOTE", { Cell($0.hears ? "" : "does not check for updates", .dim) }),
    ]
    // None that is recorded, so none that was ever live.
    let unfiled = lines.filter { $0.count == 0 && $0.after != .none && !whole.contains($0.app) }.map(\.range)
    return "\nWhat clients are told:\n" + context.rendered(Table(of: lines, columns.compactMap(\.self)))
      + CheckRanges.misinformed(unfiled) + past
      + (days.isEmpty ? "" : "Devices as counted on \(days.joined(separator: " and ")).\n")
  }
}

extension Question {
  var words: String {
    let version = release?.text ?? "the release"
    return switch need {
    case .expiring:
      "clients would be forced to \(version), which stops opening at \(at?.text ?? "some time soon")"
    case .hold:
      "\(version) would count as live since \(at?.text ?? "then"): more than a day before it was recorded, or with its hold over at once"
    case .neverShipped: "this declares that \(version) was never uploaded to App Store Connect"
    case .forces: unrecorded?.pastWords ?? need.words
    case .rejected: "the ledger has \(version) as rejected"
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
