import CommandLineKit
import JSON
import Ledger
import ReleaseModel

extension [ImpactLine] {
  /// The lines of an impact as an answer or an event keeps it.
  init(of impact: JSON?) { self = (impact?.array ?? []).compactMap(ImpactLine.init(json:)) }

  /// The lines by what some have in common, in the order of the first of each.
  fileprivate func grouped(_ isAlike: (ImpactLine, ImpactLine) -> Bool) -> [[ImpactLine]] {
    reduce(into: []) { groups, line in
      if let index = groups.firstIndex(where: { isAlike($0[0], line) }) {
        groups[index].append(line)
      } else {
        groups.append([line])
      }
    }
  }

  /// From the first of all versions to the last.
  fileprivate var range: VersionRange {
    guard count > 1, let start = map(\.range.start).min(), let end = map(\.range.end).max() else {
      return first?.range ?? .all
    }
    return VersionRange(from: start, to: end) ?? .all
  }

  /// The devices of all; nil if some were not counted.
  var people: Usage.Part? {
    dropFirst().reduce(first?.people) { sum, line in line.people.flatMap { sum?.adding($0) } }
  }
}

extension ImpactLine {
  /// Whom a release would force of a past that is not recorded.
  var pastWords: String {
    "\(app)'s past is not recorded; versions below \(below), if anybody has them, would be forced"
  }

  /// The ways on where somebody has them, and where nobody has.
  var pastWays: String {
    "if nobody has them: pawl app set \(app) --past whole; if somebody has: pawl import \(app) FILE before you "
      + "publish, or with --past once a release is live"
  }

  /// The same, with the third way for someone who is asked.
  var pastHint: String? {
    ErrorWords("confirm.required/past", ["ways": pastWays, "below": below]).hint
  }

  private var below: String { range.upper?.version.text ?? "all" }

  fileprivate var isStricter: Bool { before < after }

  /// Its moment, its end and its case, which one heading gives for all lines that share them.
  fileprivate func isBeside(_ other: ImpactLine) -> Bool {
    app == other.app && (at, until) == (other.at, other.until) && visible == other.visible
      && hears == other.hears
  }

  /// Whether a preview that has the other one says the same, but for moments.
  func isShown(by other: ImpactLine) -> Bool {
    app == other.app && range == other.range && saysTheSame(as: other)
  }

  fileprivate func saysTheSame(as other: ImpactLine) -> Bool {
    (before, after, page, willBe?.url, os) == (
      other.before, other.after, other.page, other.willBe?.url, other.os
    )
  }
}

/// What clients are told before and after a change, for people.
struct Preview {
  let context: PawlContext
  /// From which versions are spelled and apps described; nil where no ledger can be asked.
  var ledger: Ledger?
  /// The moment of the change, and what it is called where a change lasts and where it ends; nil in the past.
  var start: (at: Timestamp, lasting: String, ending: String)?
  /// Whether every range is shown.
  var showsAll = false
  /// What shows every range.
  var more = "--json"
  /// The apps whose past is whole: no one has a version that is not recorded.
  var whole: Set<String> = []
  /// What is said of versions that may have been shipped before.
  var past = ""

  /// Of a change that would be made now.
  static func now(_ now: Timestamp?, _ ledger: Ledger?, _ context: PawlContext) -> Preview {
    Preview(context: context, ledger: ledger, start: now.map { ($0, "from now on", "from now") })
  }

  /// What is said where no prompt changes.
  static func text(_ rest: Impact.Rest) -> String {
    switch rest {
    case .nothing: "Nothing changes for clients.\n"
    case .reasons: "Clients are told the same, for another reason.\n"
    case .details: "No prompt changes; targets, notes or settings do.\n"
    }
  }

  /// How many ranges are listed one by one, and how many cases.
  private static let (mostRanges, mostCases) = (12, 3)

  /// The lines under the app and the moment that they share; empty if no prompt changes.
  func text(_ lines: [ImpactLine]) -> String {
    guard !lines.isEmpty else { return "" }
    let days = Set(lines.compactMap { $0.people?.countedAt.day }).sorted()
    let (shown, unshown) = showsAll ? (lines, "") : condensed(lines)
    return "\n" + table(sections(of: shown)) + unshown + past
      + (days.isEmpty ? "" : "Devices as counted on \(days.joined(separator: " and ")).\n")
  }

  /// Leaves out what is only imagined and makes nothing stricter, but says how much that is.
  private func condensed(_ lines: [ImpactLine]) -> ([ImpactLine], String) {
    let present = lines.filter { $0.visible == nil }
    let pages = Set(present.compactMap(\.page))
    let milder = lines.filter { line in
      line.visible != nil && !line.isStricter && line.page.map(pages.contains) ?? true
    }
    let cases = Set(milder.map { $0.visible?.words(in: $0.app) })
    guard milder.count > 1, !present.isEmpty || cases.count > 1 else { return (lines, "") }
    let left = Set(milder)
    let name =
      cases.count == 1 ? cases.first.flatMap(\.self) ?? "" : "in \(cases.count) cases of what is to come"
    return (
      lines.filter { !left.contains($0) },
      "\(name.prefix(1).uppercased() + name.dropFirst()), \(grouped(milder.count, "range")) change"
        + "\(milder.count == 1 ? "s" : ""), none to something stricter: \(more)\n"
    )
  }

  /// Lines of one app, moment and case under one heading; of many ranges that change alike, one row has all.
  private struct Section {
    let title: String
    var rows: [[ImpactLine]]
    var rest = ""
  }

  private func sections(of lines: [ImpactLine]) -> [Section] {
    let groups = lines.grouped { $0.isBeside($1) }
    let imagined = lines.filter { $0.visible != nil }
    let now = start?.at ?? lines.map(\.at).min()
    guard !showsAll, groups.count(where: { $0[0].visible != nil }) > Preview.mostCases else {
      return groups.map { section(title($0[0], now), $0) }
    }
    return groups.filter { $0[0].visible == nil }.map { section(title($0[0], now), $0) }
      + imagined.grouped { $0.app == $1.app }.map { lines in
        let cases = grouped(Set(lines.map(\.visible)).count, "case")
        return section(
          "\(lines[0].app), in \(cases) of what is to come:",
          lines.grouped { $0.isShown(by: $1) }.map { $0[0] })
      }
  }

  private func title(_ line: ImpactLine, _ now: Timestamp?) -> String {
    let until = line.until.map { " until \(context.moment($0))" }
    var when = until.map { "from \(context.moment(line.at))\($0)" } ?? "from \(context.moment(line.at))"
    if let visible = line.visible {
      when = visible.words(in: line.app) + (line.at == now ? until ?? "" : ", \(when)")
    } else if let start, start.at == line.at {
      when = until.map { start.ending + $0 } ?? start.lasting
    }
    return "\(line.app), \(when)\(line.hears ? "" : ", of versions that do not check for updates"):"
  }

  /// The rows of a section: each range, unless it is no one's or there are many.
  private func section(_ title: String, _ lines: [ImpactLine]) -> Section {
    func isEmpty(_ line: ImpactLine) -> Bool {
      !line.isStricter && line.page == nil
        && (line.people?.devices == 0 || line.count == 0 && whole.contains(line.app))
    }
    let empty = showsAll ? [] : lines.filter(isEmpty)
    let isFolded = empty.count > 1 && empty.count < lines.count
    let kept = isFolded ? lines.filter { !isEmpty($0) } : lines
    var section = Section(title: title, rows: kept.map { [$0] })
    if !showsAll, kept.count > Preview.mostRanges {
      section.rows = kept.grouped { $0.saysTheSame(as: $1) }
      section.rest = "\(grouped(kept.count, "range")), each in \(more)\n"
    }
    if isFolded {
      let lacks = [
        empty.allSatisfy { $0.count == 0 } ? "no recorded version" : nil,
        empty.allSatisfy { $0.people?.devices == 0 } ? "no device" : nil,
      ].compactMap(\.self).joined(separator: " and ")
      section.rest += "and \(empty.count) ranges with \(lacks.isEmpty ? "nobody in them" : lacks): \(more)\n"
    }
    return section
  }

  private func table(_ sections: [Section]) -> String {
    let rows = sections.flatMap(\.rows)
    let (counts, lines) = (rows.contains { $0.people != nil }, rows.map { $0[0] })
    let pages = Set(lines.compactMap(page))
    let most = lines.map(\.wordBefore.count).max() ?? 0
    func change(_ line: ImpactLine) -> Cell {
      let before =
        line.wordBefore + String(repeating: "\u{A0}", count: most - line.wordBefore.count)
      return Cell(
        "\(before)\u{A0}→\u{A0}\(line.after.rawValue)" + (isOther(line) ? ", other page" : ""),
        Paint.style(of: line.after))
    }
    let columns: [(Column, ([ImpactLine]) -> Cell)?] = [
      ("VERSIONS", { Cell(spelled($0.range, in: $0[0])) }),
      rows.allSatisfy { $0.count == 1 } ? nil : (.right("RANGES"), { Cell(String($0.count)) }),
      (.right("RECORDED"), { Cell(grouped($0.reduce(0) { $0 + $1.count })) }),
      counts
        ? (.right("DEVICES"), { Cell($0.people.map { grouped(Int(clamping: $0.devices)) } ?? "–") }) : nil,
      counts ? (.right(""), { Cell($0.people?.shareText ?? "") }) : nil,
      lines.allSatisfy { $0.os == nil } ? nil : ("SYSTEM", { Cell($0[0].os ?? "all") }),
      ("CHANGE", { change($0[0]) }),
      pages.count < 2 ? nil : ("PAGE", { Cell(page($0[0]) ?? "", .dim) }),
    ]
    var table = Table(of: rows, columns.compactMap(\.self))
    var place = 0
    for (index, section) in sections.enumerated() {
      let rest = index == 0 ? "" : sections[index - 1].rest + "\n"
      table.above[place] = rest + context.page(section.title) + "\n"
      place += section.rows.count
    }
    return context.rendered(table) + (sections.last?.rest ?? "")
      + (pages.count == 1
        ? pages.map { "\(lines.contains(where: isOther) ? "Other page" : "Page"): \($0)\n" }.joined() : "")
  }

  /// Where a range is sent that was sent elsewhere, or nowhere; the app's own store page goes without saying.
  private func page(_ line: ImpactLine) -> String? {
    line.page ?? (line.was?.url == nil && line.willBe?.url != storeURL(of: line.app) ? line.willBe?.url : nil)
  }

  /// Whether that is surely another one than before, or than the app's store page, which only the ledger knows.
  private func isOther(_ line: ImpactLine) -> Bool { line.page != nil || ledger != nil && page(line) != nil }

  private func storeURL(of app: String) -> String? { (try? ledger?.app(app))?.effectiveStoreURL }

  /// A range in words, with versions as they were recorded.
  func spelled(_ range: VersionRange, in line: ImpactLine) -> String {
    range.text { version in
      let named = line.visible?.versions[line.app]
      return named == version
        ? named?.text ?? version.text
        : (try? ledger?.release(version, of: line.app))?.version.text ?? version.text
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
