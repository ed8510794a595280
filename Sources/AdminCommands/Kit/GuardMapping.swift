import CommandLineKit
import JSON
import ReleaseModel

/// Says in words why a rule or redirect was refused when it was made.
func report(app: String, command: String, _ violation: GuardViolation) -> CommandFailure {
  let refusal = Refusal(app: app, command: command)
  switch violation {
  case .nothingNewer(let newest, let works, let nearest):
    let range = works.map { $0.text.contains(" ") ? "\"\($0.text)\"" : $0.text }
    // Whoever mistyped a version must not arm a rule for it.
    let typo = nearest.map { "did you mean \($0.text)? " } ?? ""
    return refusal.report(
      "force.nothing-newer",
      "\(newest.text) is the newest visible version, so clients on it or above could not update",
      typo
        + (range.map { "use 'pawl force \(app) \($0) --reason \"…\"', or --when-visible" }
          ?? (nearest == nil ? "add --when-visible" : "If not, --when-visible"))
        + " to record it for the next version",
      [
        ("newest", .string(newest.text)), ("works", .optional(works?.text)),
        ("nearest", .optional(nearest?.text)),
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
      "target.stopped", "\(other) is stopped, and nobody is sent to a stopped app",
      "run 'pawl resume \(other)' first",
      [("target", .string(other))])
  case .retired(let retired, let event):
    return refusal.report(
      "app.retired", "\(retired) is retired", "'pawl revert \(event)' restores it",
      [("retired", .string(retired)), ("event", .integer(event))])
  case .ledTo(let others):
    return refusal.report(
      "app.led-to", "clients of \(others.joined(separator: ", ")) are sent to it",
      "clear what leads to it first: see 'pawl redirects' and 'pawl rules'",
      [("apps", .array(others.map(JSON.string)))])
  case .inUse(let tables):
    let names = tables.map { "\($0.rawValue)s" }
    return refusal.report(
      "app.in-use", "\(names.joined(separator: ", ")) are recorded under it, or lead to it",
      "'pawl app retire \(app)' retires it instead", [("holds", .array(names.map(JSON.string)))])
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
  case .emptyPeriod(let until):
    return refusal.report(
      "time.order", "it would end at \(until.text), before it starts",
      "--until must be after now and after --from",
      [("until", .string(until.text))], exit: .usage)
  }
}
