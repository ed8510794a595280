import CommandLineKit
import JSON
import ReleaseModel

struct RefusedLine: Error, JSONValue {
  let line: Int64
  let version: String
  let id: String
  let message: String

  /// The message without what the other columns of its row say.
  var reason: String {
    var reason = message[...]
    for start in ["cannot import \(version) for ", "invalid version '\(version)'"]
    where reason.hasPrefix(start) {
      reason = reason.dropFirst(start.count).drop { $0 != ":" }.dropFirst(2)
    }
    return String(reason)
  }

  init(_ line: Int, _ version: String, id: String, _ message: String) {
    (self.line, self.version, self.id, self.message) = (Int64(line), version, id, message)
  }

  var json: JSON {
    ["line": .integer(line), "version": .string(version), "id": .string(id), "message": .string(message)]
  }
}

/// What became of the lines of a file: the answer of `import`.
struct ImportTally {
  var imported: Int64 = 0
  var past: Int64 = 0
  var skipped: Int64 = 0
  /// In the order of lines, except that lines in the way of many others come first.
  var refused: [RefusedLine] = []
  /// Warnings about lines in the way of many others, and about versions that look mistyped.
  var warnings: [String] = []

  func outcome(of app: String, isDryRun: Bool, _ context: PawlContext) -> Outcome {
    var text = refusedTable(context)
    text +=
      "\(isDryRun ? "Would import" : "Imported") \(imported) \(imported == 1 ? "release" : "releases") into \(app)"
    if past > 0 { text += " (\(past) past)" }
    if skipped > 0 { text += "; skipped \(skipped) already recorded" }
    if !refused.isEmpty { text += "; refused \(refused.count)" }
    return Outcome(members, text + ".\n", next: "pawl status \(app)", warnings: warnings)
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
      grouping: refused.filter { $0.id == LawViolation.ID.notGreater.rawValue }, by: \.reason)
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
