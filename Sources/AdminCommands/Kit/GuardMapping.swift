import CommandLineKit
import JSON
import ReleaseModel

func report(app: String, command: String, _ violation: GuardViolation) -> CommandFailure {
  let refusal = Refusal(app: app, command: command)
  switch violation {
  case .nothingNewer(let newest):
    return refusal.report(
      "force.nothing-newer",
      "\(newest.text) is the newest visible version, so clients on it or above could not update",
      "if \(newest.text) is broken, 'pawl stop \(app)' ends all prompts at once; --when-visible records this force, "
        + "to take effect when something newer is visible",
      [("newest", .string(newest.text))])
  case .softens(let ranges, let until, let others):
    func words(_ ranges: [VersionRange], _ mark: String) -> String {
      ranges.map { mark + $0.text + mark }.joined(separator: ", ")
    }
    return refusal.report(
      "grace.softens",
      "\(words(ranges, "")) \(ranges.count == 1 ? "is" : "are") forced already, or will be before \(until.text), and "
        + "would only be reminded until then",
      others.isEmpty
        ? "leave out --grace to force all of them at once, or leave them as they are"
        : "give a grace period to the others only: \(words(others, "'"))",
      [
        ("forced", .array(ranges.map { .string($0.text) })),
        ("others", .array(others.map { .string($0.text) })),
      ])
  case .nothingVisible(let other):
    return refusal.report(
      "target.nothing-visible", "no release of \(other) is visible, so clients would have nowhere to go",
      "see 'pawl status \(other)'; --when-visible records it for later", [("target", .string(other))])
  case .expired(let other, let version, let expires):
    return refusal.report(
      "target.expired",
      "\(version.text), the newest visible release of \(other), stops opening at \(expires.text)",
      "publish a build with a new profile; --when-visible records it for then",
      [("target", .string(other)), ("expires", .string(expires.text))])
  case .otherIsStopped(let other):
    return refusal.report(
      "target.stopped", "\(other) is stopped, and clients are never sent to a stopped app",
      "run 'pawl resume \(other)' first",
      [("target", .string(other))])
  case .retired(let retired, let event):
    return refusal.report(
      "app.retired", "\(retired) is retired", "'pawl undo \(event)' restores it",
      [("retired", .string(retired)), ("event", .integer(event))])
  case .ledTo(let others):
    return refusal.report(
      "app.led-to", "clients of \(others.joined(separator: ", ")) are sent to it",
      "clear what leads to it first: see 'pawl redirects' and 'pawl rules'",
      [("apps", .array(others.map(JSON.string)))])
  case .inUse(let tables):
    return refusal.report(
      "app.in-use", words(inUse: tables),
      "'pawl app retire \(app)' retires it instead"
        + (tables.contains(where: \.mayLead) ? ", once no other app leads to it" : ""),
      [("holds", .array(tables.map { .string($0.names) }))])
  case .sameApp:
    return refusal.report(
      "redirect.cycle", "it would lead to itself", "name another app, or use --url",
      [("path", [.string(app), .string(app)])])
  case .cycle(let path):
    return refusal.report(
      "redirect.cycle", "it would lead in a circle: \(path.joined(separator: " → "))",
      path.dropLast().last.map {
        "clear or lift what leads back: see 'pawl redirects \($0)' and 'pawl rules \($0)'"
      },
      [("path", .array(path.map(JSON.string)))])
  case .noURL(let other):
    return refusal.report(
      "target.no-url", "there is no URL that its clients could open",
      "give \(other) one with 'pawl app set \(other) --apple-id N' or --store-url",
      [("target", .string(other))])
  case .tooManySettings:
    return refusal.report(
      "setting.too-many",
      "\(app) would have more than \(Setting.most) settings, or more than \(Setting.mostBytes >> 10) KiB of them",
      "clear those no longer needed with 'pawl setting \(app) KEY --clear'; see 'pawl settings \(app)'")
  case .emptyPeriod(let until, let isOver):
    return refusal.report(
      "time.order", "it would end at \(until.text), \(isOver ? "which is in the past" : "before it starts")",
      "--until must be after now and after --from",
      [("until", .string(until.text))], exit: .usage)
  }
}

/// What keeps an app from being struck out: "releases and settings are recorded under it".
private func words(inUse tables: [RecordTable]) -> String {
  func list(_ tables: [RecordTable]) -> String { tables.map(\.names).joined(separator: " and ") }
  let (leading, own) = (tables.filter(\.mayLead), tables.filter { !$0.mayLead })
  return [
    own.isEmpty ? nil : "\(list(own)) are recorded under it",
    leading.isEmpty ? nil : "\(list(leading)) are recorded under it or lead to it",
  ].compactMap(\.self).joined(separator: "; ")
}

extension RecordTable {
  fileprivate var names: String { "\(rawValue)s" }

  fileprivate var mayLead: Bool { self == .rule || self == .redirect }
}
