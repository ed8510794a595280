import CommandLineKit
import JSON
import ReleaseModel

func report(app: String, command: String, _ violation: LawViolation) -> CommandFailure {
  func refused(
    _ version: Version, _ reason: String, _ hint: String?, _ details: [(String, JSON)] = [],
    exit: ExitCode = .refused
  ) -> CommandFailure {
    Refusal(app: app, command: command).report(
      violation.id.rawValue, reason, hint, [("version", .string(version.text))] + details, exit: exit)
  }
  switch violation {
  case .notGreater(let version, let lesser):
    let (reason, hint) = words(app: app, version, lesser)
    return refused(version, reason, hint)
  case .version(let text, let fault):
    return Refusal(app: app, command: command).report(
      violation.id.rawValue, "invalid version '\(printable(text, limit: 80))': \(fault.reason)",
      "the App Store takes one to three numbers separated by points, enterprise apps up to four",
      [("version", .string(text))], exit: .usage)
  case .illegalMove(let version, let from, let to):
    return refused(
      version, "\(version.text) is \(from.rawValue), and cannot become \(to.rawValue) from there",
      hint(app: app, version, from: from, to: to),
      [("from", .string(from.rawValue)), ("to", .string(to.rawValue))])
  case .future(let moment, let now):
    return Refusal(app: app, command: command).report(
      violation.id.rawValue, "\(moment.text) is in the future; it is \(now.text) now",
      "omit --at, or give the time at which it happened", [("at", .string(moment.text))])
  case .liveSince(let version, let moment):
    return refused(
      version, "\(version.text) went live at \(moment.text), and that time never changes",
      "while its hold runs, 'pawl unmark \(app) \(version.text) --reason \"…\"' takes it back",
      [("liveAt", .string(moment.text))])
  case .beforeNewest(let version, let moment, let newest, let liveAt):
    return refused(
      version, "\(newest.text) went live at \(liveAt.text), which is after \(moment.text)",
      "give the time at which \(version.text) itself went live",
      [
        ("at", .string(moment.text)),
        ("newest", .string(newest.text)), ("liveAt", .string(liveAt.text)),
      ])
  case .notLive(let version, let state):
    return refused(
      version, "\(version.text) is \(state.rawValue), and only a live release can be unmarked",
      "see 'pawl history \(app) --version \(version.text)'")
  case .alreadyVisible(let version, let moment):
    return refused(
      version, "clients may have been told of \(version.text) since \(moment.text)",
      "if \(neverHad(app, version)); if the store took it off: pawl mark \(app) \(version.text) removed; else publish a newer version",
      [("visibleAt", .string(moment.text))])
  case .notPast(let version):
    return refused(
      version, "no release greater than \(version.text) was ever live, so it can still go live",
      "publish it and mark it live; first strike out whatever was recorded above it but never shipped")
  case .isPast(let version):
    return refused(
      version, "\(version.text) is a past release, which never changes state",
      "if \(neverHad(app, version))")
  case .wasLive(let version, let isPast):
    return refused(
      version, "\(version.text) was live, and clients may have seen it",
      (isPast ? "" : "if the store no longer serves it, mark it removed; ") + "if \(neverHad(app, version))")
  case .wasApproved(let version):
    return refused(
      version, "\(version.text) was approved by Apple, which accepts no lower version after that",
      "mark it withdrawn if it will not be released; if \(neverHad(app, version))")
  case .leavesPast(let version, let past):
    return refused(
      version, "the past release \(past.text) would be above everything that was ever live",
      "strike that out first: pawl void \(app) \(past.text) --never-shipped --reason \"…\"",
      [("past", .string(past.text))])
  case .buildNotGreater(let version, let build, let known):
    return refused(
      version, "build \(build.text) is not greater than \(known.text), recorded for \(version.text)",
      "builds must grow within a version; check the number",
      [("build", .string(build.text))])
  case .isVoid(let version):
    return refused(
      version, "\(version.text) was struck out", "publish the number again, or choose another")
  case .noRelease(let version, let nearest):
    return refused(
      version, "there is no release \(version.text)",
      nearest.map { "did you mean \($0.text)? see 'pawl status \(app)'" }
        ?? "record it with 'pawl publish \(app) \(version.text)'",
      [("nearest", .optional(nearest?.text))], exit: .missing)
  }
}

/// How to strike out a release that Apple never had, worded to follow "if".
func neverHad(_ app: String, _ version: Version) -> String {
  "\(version.text) was never uploaded to App Store Connect: pawl void \(app) \(version.text) --never-shipped --reason \"…\""
}

private func words(app: String, _ version: Version, _ lesser: LawViolation.Lesser) -> (String, String) {
  let next = "versions only grow; use a newer one"
  switch lesser {
  case .recorded(let known, let mayBeVoid):
    if known == version { return ("\(known.text) is already recorded", next) }
    return (
      "\(known.text) is already recorded",
      mayBeVoid
        ? "\(next), or if \(known.text) is a typo: pawl void \(app) \(known.text) --reason \"…\""
        : "\(next), or if \(neverHad(app, known))"
    )
  case .spelledOtherwise(let known, let isPast, let mayBeVoid):
    return (
      "it is the same version as \(known.text), already recorded",
      isPast
        ? "\(known.text) is a past release; use a newer version: pawl next \(app)"
        : "correct that one with 'pawl amend \(app) \(known.text)', or "
          + (mayBeVoid
            ? "strike it out: pawl void \(app) \(known.text) --reason \"…\"" : "if \(neverHad(app, known))")
    )
  case .saysOtherwise(let known, let differs):
    let isMoment = differs.contains { $0.member == "liveAt" }
    return (
      "\(known.text) is already recorded, with \(differs.map(words).joined(separator: "; "))",
      isMoment
        ? "see 'pawl history \(app) --version \(known.text)'; the time a release went live never changes"
        : "correct it with 'pawl amend \(app) \(known.text)'"
    )
  case .live(let known):
    return (
      "\(known.text) is live and newer",
      "\(next), or if \(known.text) was marked live by mistake: pawl unmark \(app) \(known.text) --reason \"…\""
    )
  case .visible(let known):
    return ("clients could see \(known.text), which is newer", "\(next), or if \(neverHad(app, known))")
  case .liveSince(let known): return ("\(known.text), which is newer, has since been live", next)
  }
}

/// One difference between what is recorded and what the command says: "build 512, not 513".
private func words(_ difference: LawViolation.Difference) -> String {
  let name =
    switch difference.member {
    case "minOS": "minimum OS"
    case "url": "URL"
    case "ascID": "App Store Connect ID"
    case "liveAt": "a release time of"
    default: difference.member
    }
  // A note does not fit on one line, so it is not quoted.
  if difference.member.hasPrefix("notes.") {
    let isMissing = difference.recorded?.isEmpty ?? true
    return "\(isMissing ? "no" : "different") notes in '\(difference.member.dropFirst(6))'"
  }
  if difference.member == "liveAt", difference.recorded == nil {
    return "no release time, since it has not gone live"
  }
  let recorded = difference.recorded.map { printable($0, limit: 120) }
  return (recorded.map { "\(name) \($0)" } ?? "no \(name)")
    + ", not \(printable(difference.said, limit: 120))"
}

private func hint(app: String, _ version: Version, from: ReleaseState, to: ReleaseState) -> String? {
  switch (from, to) {
  case (_, .superseded): "a release is superseded when a newer one goes live, never by hand"
  case (.live, .void), (.superseded, .void), (.removed, .void), (.approved, .void):
    "if \(neverHad(app, version))"
  case (_, .void):
    "strike out a mistake with 'pawl void \(app) \(version.text) --reason \"…\"'"
      + (from == .rejected || from == .withdrawn ? ", adding --never-shipped if it was approved before" : "")
  case (.live, _):
    "if it was marked live by mistake and its hold is still running: "
      + "pawl unmark \(app) \(version.text) --reason \"…\""
  case (.superseded, _), (.removed, _), (.void, _): "publish a newer version"
  default: "states move forward; see 'pawl help mark'"
  }
}
