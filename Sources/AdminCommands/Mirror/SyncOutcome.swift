import CommandLineKit
import JSON
import Ledger
import Mirror
import Platform
import ReleaseModel

extension SyncRun {
  /// How many apps are named where many are refused.
  private static let most = 10

  private var refused: [Line] { lines.filter { $0.fault != nil } }

  private var warnings: [(id: String, words: String, seconds: Int64?)] {
    (skew.map { [("mirror.clock", Self.words(ofSkew: $0), $0)] } ?? [])
      + (canAsk
        ? []
        : [("mirror.functions", "the function that backends ask is not there: run the schema again", nil)])
  }

  var json: JSON {
    [
      "apps": .array(lines.map(\.json)), "mirror": .string(name),
      "stopped": .array(stopped.sorted().map { .string($0) }),
      "warnings": .array(
        warnings.map { ["id": .string($0), "message": .string($1), "seconds": .optional($2)] }),
    ]
  }

  private static func words(ofSkew skew: Int64) -> String {
    "the mirror's clock is \(abs(skew)) s \(skew > 0 ? "ahead" : "behind"), and so are its answers: set it"
  }

  var text: String {
    let counts = ["same", "sent", "removed", "refused"].map { outcome in
      "\(lines.filter { $0.outcome == outcome }.count) \(outcome)"
    }
    var text = "\(name): \(counts.joined(separator: ", ")).\n"
    for line in refused.prefix(Self.most) { text += "refused: \(line.app): \(line.words)\n" }
    if refused.count > Self.most { text += "refused: \(grouped(refused.count - Self.most)) more\n" }
    if !stopped.isEmpty {
      text += "stopped by the mirror's own switch: \(stopped.sorted().joined(separator: ", "))\n"
    }
    for warning in warnings { text += "warning: \(warning.words)\n" }
    return text
  }

  /// Why the run ends with a status other than 0; nil if it does not.
  var failure: CommandFailure? {
    guard let first = refused.first(where: { $0.fault?.isSending == true }) ?? refused.first,
      let fault = first.fault
    else { return nil }
    let others = refused.count == 1 ? "" : " (and \(grouped(refused.count - 1)) more)"
    return CommandFailure(
      fault == .unsound ? "answers.altered/mirror" : fault.rawValue,
      [
        "name": name, "what": "\(first.app): \(first.words)\(others)",
        "said": fault.isSending ? said : "",
      ],
      details: [
        "apps": .array(refused.prefix(Self.most).map(\.json)), "refused": .integer(Int64(refused.count)),
      ])
  }

  /// Keeps what was found, for the board and `doctor`; an account that may only read the ledger keeps nothing.
  func keep(fault: String?) {
    guard let folder = try? CompanionFolder(.mirrors, of: ledger, makes: true) else {
      return
    }
    let earlier = (try? folder.read("\(name).json")) ?? nil
    var generations = lines.isEmpty ? earlier?["apps"]?.object ?? JSON.Object() : JSON.Object()
    for line in lines {
      if let head = line.fault == nil ? line.wanted : line.head {
        generations[line.app] = .integer(head.generation)
      }
    }
    let since = fault == nil ? nil : earlier?["failingSince"]?.string ?? context.clock().text
    try? folder.write(
      ["apps": .object(generations), "fault": .optional(fault), "failingSince": .optional(since)],
      "\(name).json")
  }

  /// Lets the ledger go on where another file or another past of it spoke, after asking.
  mutating func takeOver() throws {
    let taken = lines.filter { $0.fault?.isTakenOver == true }
    guard !taken.isEmpty else { return }
    let now = try ledger.now(clock: context.clock())
    let there = try ask(store.rows(of: taken.map(\.app)))
    let impact = try taken.map { line in
      try ledger.impact(on: line.app, at: now) { version in
        let told = stopped.contains(line.app) ? nil : there.told(line.app, version, at: now.seconds)
        return told ?? (.none, nil)
      }
    }
    if !options.isAgreed(context) {
      try Changing(options, context).confirm(Question(need: .takeOver, impact: Impact(impact)))
    }
    for index in lines.indices where lines[index].fault?.isTakenOver == true {
      (lines[index].fault, lines[index].words) = (nil, "")
    }
  }
}
