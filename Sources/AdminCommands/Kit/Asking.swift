import CommandLineKit
import JSON
import Ledger
import Platform
import ReleaseModel

extension Changing {
  /// Asks for agreement to what is not a stricter answer, after saying why, unless that is given or nothing is recorded.
  func ask(_ why: String, key: String = "confirm.required") throws {
    asksFirst = true
    if !mayRecord || options.isAgreed(context) { return }
    guard context.mayAsk else {
      throw CommandFailure(
        key, ["command": command, "why": why], details: ["impact": []], hint: context.agreementHint)
    }
    try require("\(why.prefix(1).uppercased())\(why.dropFirst()). Continue?")
  }

  /// Asks a question on the terminal, and refuses unless the answer is yes.
  func require(_ question: String) throws {
    guard try agrees(question) else { throw CommandFailure("confirm.declined") }
  }

  private func agrees(_ question: String) throws -> Bool {
    context.note("\(question) [y/N] ")
    context.listen(.whileAsking)
    defer { context.listen(nil) }
    let reply: [UInt8]
    do {
      let input = try context.readInput()
      // No key was pressed, so the terminal is still on the question's line.
      if input == nil { context.note("\n") }
      reply = input ?? []
    } catch {
      // The terminal has echoed the key on the question's line.
      if Stopped(error, context) != nil { context.note("\n") }
      throw error
    }
    let word = String(decoding: reply.prefix { $0 != 0x0A && $0 != 0x20 && $0 != 0x0D }, as: UTF8.self)
      .lowercased()
    return word == "y" || word == "yes"
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

extension Preview {
  /// The question whether to go on, with whom it is about.
  func question(_ question: Question) -> String {
    let lines = question.impact.lines
    func sentence(_ verb: String, _ chosen: (ImpactLine) -> Bool, _ end: String) -> String? {
      let present = lines.filter { $0.visible == nil && chosen($0) }
      let told = present.isEmpty ? lines.filter(chosen) : present
      guard let first = told.first, told.allSatisfy({ $0.app == first.app && $0.hears }) else { return nil }
      let ranges = told.map { spelled($0.range, in: $0) }.reduce(into: [String]()) { all, range in
        if !all.contains(range) { all.append(range) }
      }
      var who =
        ranges.count > 2
        ? "\(ranges.count) ranges of \(first.app)" : "\(first.app) \(ranges.joined(separator: " and "))"
      let isOnce = ranges.count == told.count && told.allSatisfy { $0.os == nil }
      if isOnce, let part = told.people, let total = try? ledger?.usage(of: first.app)?.total {
        who =
          "\(grouped(Int(clamping: part.devices))) of \(grouped(Int(clamping: total))) devices (\(part.shareText))"
      }
      let when: String
      if let visible = first.visible {
        when = told.allSatisfy { $0.visible == visible } ? " \(visible.words(in: first.app))" : " later"
      } else {
        when =
          start?.at == first.at || !told.allSatisfy { $0.at == first.at }
          ? "" : " from \(context.moment(first.at))"
      }
      return "\(verb) \(who)\(end)\(when)?"
    }
    let (targets, pages) = (question.impact.forcedTo.sorted(), Set(lines.compactMap(\.page)))
    let end = targets.count == 1 ? " to update to \(targets[0])" : " to update"
    let words: String? =
      switch question.need {
      case .forces: sentence("Force", \.forces, end)
      case .stricter: sentence("Remind", { $0.before < $0.after }, " to update")
      case .page where pages.count == 1:
        sentence("Send", { $0.page != nil }, " to \(pages.joined())")
      case .undo: "Take it back?"
      default: nil
      }
    let why = question.words
    return words ?? "\(why.prefix(1).uppercased())\(why.dropFirst()). Continue?"
  }
}
