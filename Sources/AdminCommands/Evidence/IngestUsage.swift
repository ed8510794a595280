import CommandLineKit
import Intake
import JSON
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var ingestUsage: Command {
    .change(
      "usage", summary: "Import how many devices run each version",
      discussion: """
        CSV with the columns version and devices. It changes no decision: previews, the board and the report show how \
        many devices a change affects, and which versions the ledger lacks. The latest count is used, as of the day it \
        was taken in. A line without a version, such as '(other)', is refused unless --skip-refused is given. 'pawl \
        help usage' has an awk command that makes a count from a web server's log.
        """,
      examples: [
        .init("pawl ingest usage taxi devices.csv", "a file"),
        .init("pawl ingest usage taxi - < devices.csv", "from standard input"),
      ], options: .unplannedChange
    ) {
      (
        .app, .optionalArgument("FILE", .input, help: "The count; - for standard input"),
        .flag("--skip-refused", help: "Count the lines with a version and a number, and list the others")
      )
    } run: { changing, app, file, skipsRefused in
      let context = changing.context
      let file = file ?? "-"
      let bytes = try context.readGiven(file, limit: Usage.maximumSize)
      var (usage, refused): (Usage, [UsageFault])
      do throws(UsageFault) {
        (usage, refused) = try Usage.reading(
          csv: bytes, countedAt: context.clock(), skipsRefused: skipsRefused)
      } catch {
        throw CommandFailure(
          error.version.isEmpty ? "ingest.unusable-usage" : "ingest.unusable-usage/version",
          ["file": file, "reason": error.reason], details: ["line": .integer(Int64(error.line))])
      }
      let left = refused.map { RefusedLine($0.line, $0.version, id: "ingest.unusable-usage", $0.reason) }
      changing.cover([Recording.digest(of: bytes)])
      var report: UsageReport?
      let source = UsageCount(app: app)
      let (results, answer, _) = try changing.take { intake, draft in
        let result = try intake.take(bytes, named: file, from: source, &draft)
        usage.countedAt = draft.now
        report = UsageReport(usage, of: try draft.snapshot(app), at: draft.now)
        return [result]
      } also: {
        [("usage", report?.json ?? .null)]
      }
      let text = (changing.options.isDryRun ? report?.facts : report?.text) ?? ""
      return try changing.finish(
        results, members: [("usage", answer["usage"] ?? .null), ("refused", left.json)]
      ) {
        text
          + left.map { line in
            let version = line.version.isEmpty ? "" : ", '\(printable(line.version, limit: 80))'"
            return "left out line \(line.line)\(version): \(printable(line.message))\n"
          }.joined()
      }
    }
  }
}

extension UsageReport {
  var facts: String { lines.map { $0 + "\n" }.joined() }

  var text: String { facts + (importLine.map { "next: \($0)\n" } ?? "") }

  var lines: [String] {
    counted + (missing.isEmpty ? [] : ["not in the ledger: \(text(of: missing))"])
  }

  /// What was counted, but for what 'doctor' says how to record.
  var counted: [String] {
    [
      "\(grouped(Int(clamping: usage.total))) device\(usage.total == 1 ? "" : "s") counted on \(usage.day): \(toldText)",
      ahead.isEmpty ? nil : "newer than every live version, and not recorded: \(text(of: ahead))",
    ].compactMap(\.self)
  }

  /// The versions that devices run and the ledger lacks; nil if there are none.
  func finding(_ app: String) -> Finding? {
    importLine.map { Finding("usage.unrecorded", app: app, ["versions": text(of: missing), "command": $0]) }
  }

  /// The names of some versions, with their devices and share.
  private func text(of counts: [Usage.Count]) -> String {
    let most = counts.sorted { ($1.devices, $0.version) < ($0.devices, $1.version) }.prefix(10)
    let part = usage.part(counts.reduce(0) { $0 + $1.devices })
    let names = most.map(\.version.text) + (counts.count > most.count ? ["…"] : [])
    return names.joined(separator: " ")
      + " (\(grouped(Int(clamping: part.devices), "device")), \(part.shareText))"
  }
}
