import CommandLineKit
import Intake
import JSON

extension Import {
  func outcome(isDryRun: Bool, _ context: PawlContext) -> Outcome {
    var text = refusedTable(context)
    text +=
      "\(isDryRun ? "Would import" : "Imported") \(imported) \(imported == 1 ? "release" : "releases") into \(app)"
    if past > 0 { text += " (\(past) past)" }
    if skipped > 0 { text += "; skipped \(skipped) already recorded" }
    if !refused.isEmpty { text += "; refused \(refused.count)" }
    return Outcome(
      members + [("notes", notes.json)], text + ".\n" + notes.map { "note: \($0)\n" }.joined(),
      next: "pawl status \(app)", warnings: warnings)
  }

  var members: Outcome.Members {
    [
      ("imported", imported.json), ("past", past.json), ("skipped", skipped.json), ("refused", refused.json),
    ]
  }

  func refusedTable(_ context: PawlContext) -> String {
    guard !refused.isEmpty else { return "" }
    // Of the lines that one other line is in the way of, the first stands for all; --json has each.
    let folded = Dictionary(
      grouping: refused.filter { $0.id == "version.not-greater" }, by: \.reason)
    let rows: [[Cell]] = refused.compactMap { line in
      guard let alike = folded[line.reason], alike.count > 2, line.id == alike[0].id else {
        return [Cell(String(line.line)), Cell(line.version), Cell(line.reason)]
      }
      guard alike[0].line == line.line else { return nil }
      return [
        Cell(String(line.line)), Cell(line.version), Cell("\(line.reason); so are \(alike.count - 1) more"),
      ]
    }
    return context.table([.right("LINE"), "VERSION", "REFUSED BECAUSE"], rows) + "\n"
  }
}

extension RefusedLine: JSONValue {
  var json: JSON {
    [
      "line": .integer(line), "version": .string(version), "id": .string(id),
      "message": .string(printable(message)),
    ]
  }

  /// The message without what the other columns of its row say.
  var reason: String {
    var reason = message[...]
    for start in ["cannot import \(version) for ", "invalid version '\(version)'"]
    where reason.hasPrefix(start) {
      reason = reason.dropFirst(start.count).drop { $0 != ":" }.dropFirst(2)
    }
    return printable(String(reason))
  }
}
