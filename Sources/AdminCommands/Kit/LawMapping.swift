import CommandLineKit
import JSON
import ReleaseModel

func report(app: String, command: String, _ violation: LawViolation) -> CommandFailure {
  func refused(
    _ key: String, _ version: Version, _ values: [String: String] = [:], details: JSON = [:]
  ) -> CommandFailure {
    Refusal(app: app, command: command).report(
      key, values, details: details.adding(["version": .string(version.text)]))
  }
  let refusal = Refusal(app: app, command: command)
  switch violation {
  case .notGreater(let version, let lesser):
    let (key, known) = key(of: lesser, version)
    var values = ["known": known.text]
    if case .saysOtherwise(_, let differs) = lesser {
      values["differs"] = differs.map(words).joined(separator: "; ")
    }
    return refused(key, version, values)
  case .version(let text, let fault):
    return refusal.report("version.malformed", ["reason": fault.reason], details: ["version": .string(text)])
  case .illegalMove(let version, let from, let to):
    return refused(
      key(from: from, to: to), version,
      details: ["from": .string(from.rawValue), "to": .string(to.rawValue)])
  case .future(let moment, let now):
    return refusal.report("time.future", ["now": now.text], details: ["at": .string(moment.text)])
  case .liveSince(let version, let moment):
    return refused("state.live-since", version, details: ["liveAt": .string(moment.text)])
  case .beforeNewest(let version, let moment, let newest, let liveAt):
    return refused(
      "mark.before-newest", version,
      details: [
        "at": .string(moment.text), "newest": .string(newest.text), "liveAt": .string(liveAt.text),
      ])
  case .notLive(let version, let state):
    return refused("unmark.not-live", version, ["state": state.rawValue])
  case .alreadyVisible(let version, let moment):
    return refused("unmark.too-late", version, details: ["visibleAt": .string(moment.text)])
  case .notPast(let version): return refused("version.not-past", version)
  case .isPast(let version): return refused("release.past", version)
  case .wasLive(let version, let isPast):
    return refused(isPast ? "void.was-live/past" : "void.was-live", version)
  case .wasApproved(let version): return refused("void.was-approved", version)
  case .leavesPast(let version, let past):
    return refused("void.leaves-past", version, details: ["past": .string(past.text)])
  case .buildNotGreater(let version, let build, let known):
    return refused(
      "build.not-greater", version, ["known": known.text], details: ["build": .string(build.text)])
  case .isVoid(let version): return refused("release.void", version)
  case .noRelease(let version, let nearest):
    return refused(
      nearest == nil ? "release.not-found" : "release.not-found/near", version,
      details: ["nearest": .optional(nearest?.text)])
  }
}

private func key(of lesser: LawViolation.Lesser, _ version: Version) -> (String, Version) {
  switch lesser {
  case .recorded(let known, let mayBeVoid):
    let id = "version.not-greater"
    return (
      known == version ? id : mayBeVoid ? "version.not-greater/typo" : "version.not-greater/uploaded", known
    )
  case .spelledOtherwise(let known, isPast: true, _): return ("version.not-greater/past-spelling", known)
  case .spelledOtherwise(let known, _, let mayBeVoid):
    return (mayBeVoid ? "version.not-greater/spelling" : "version.not-greater/uploaded-spelling", known)
  case .saysOtherwise(let known, let differs):
    let isMoment = differs.contains { $0.member == "liveAt" }
    return (isMoment ? "version.not-greater/live-at" : "version.not-greater/details", known)
  case .live(let known): return ("version.not-greater/live", known)
  case .visible(let known): return ("version.not-greater/visible", known)
  case .liveSince(let known): return ("version.not-greater/live-since", known)
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

private func key(from: ReleaseState, to: ReleaseState) -> String {
  switch (from, to) {
  case (_, .superseded): "state.illegal/superseded"
  case (.live, .void), (.superseded, .void), (.removed, .void), (.approved, .void): "state.illegal/uploaded"
  case (_, .void): "state.illegal/void"
  case (.live, _): "state.illegal/live"
  case (.superseded, _), (.removed, _), (.void, _): "state.illegal/over"
  default: "state.illegal"
  }
}

func report(app: String, command: String, _ violation: GuardViolation) -> CommandFailure {
  let refusal = Refusal(app: app, command: command)
  switch violation {
  case .nothingNewer(let newest):
    return refusal.report("force.nothing-newer", details: ["newest": .string(newest.text)])
  case .softens(let ranges, let until, let others):
    return refusal.report(
      others.isEmpty ? "grace.softens/all" : "grace.softens",
      ["until": until.text, "others": others.map { "'\($0.text)'" }.joined(separator: ", ")],
      details: ["forced": ranges.map(\.text).json, "others": others.map(\.text).json])
  case .nothingVisible(let other):
    return refusal.report("target.nothing-visible", details: ["target": .string(other)])
  case .expired(let other, let version, let expires):
    return refusal.report(
      "target.expired", ["version": version.text],
      details: ["target": .string(other), "expires": .string(expires.text)])
  case .otherIsStopped(let other):
    return refusal.report("target.stopped", details: ["target": .string(other)])
  case .retired(let retired, let event):
    return refusal.report("app.retired", details: ["retired": .string(retired), "event": .integer(event)])
  case .ledTo(let others): return refusal.report("app.led-to", details: ["apps": others.json])
  case .inUse(let tables):
    return refusal.report("app.in-use", details: ["holds": tables.map { "\($0.rawValue)s" }.json])
  case .sameApp: return refusal.report("redirect.cycle/self", details: ["path": [app, app].json])
  case .cycle(let path):
    return refusal.report(
      "redirect.cycle", ["circle": path.joined(separator: " → "), "back": path.dropLast().last ?? app],
      details: ["path": path.json])
  case .noURL(let other): return refusal.report("target.no-url", details: ["target": .string(other)])
  case .tooManySettings:
    return refusal.report(
      "setting.too-many", ["most": String(Setting.most), "size": String(Setting.mostBytes >> 10)])
  case .emptyPeriod(let until, let isOver):
    return refusal.report(isOver ? "time.order/over" : "time.order", details: ["until": .string(until.text)])
  }
}
