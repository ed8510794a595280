import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// What `force`, `remind` and `allow` are told.
struct RuleOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var range: VersionRange?
  var from: TimeArgument?
  var until: TimeArgument?
  var grace: TimeArgument?
  var url: String?
  var to: String?
  var isForLater = false

  static func parameters(_ action: Action) -> [Parameter<RuleOptions>] {
    var parameters: [Parameter<RuleOptions>] = [
      .argument("APP", .slug, help: "The app") { $0.app = $1 },
      .argument(
        "RANGE", .range, help: "Client versions: 7.2.1, all, below:7.3, upto:7.2, above:6, from:6.0, 6.0..7.2"
      ) {
        $0.range = $1
      },
      .option("--from", "TIME", .time, help: "From a moment on, or in 7d; at once if not said") {
        $0.from = $1
      },
      .option("--until", "TIME", .time, help: "Until a moment, or for 7d; for good if not said") {
        $0.until = $1
      },
    ]
    if action == .force {
      parameters.append(
        .option("--grace", "TIME", .time, help: "Remind now, and force from a moment on or in 14d") {
          $0.grace = $1
        })
    }
    if action != .none {
      parameters += [
        .option("--url", "URL", .text, help: "Send them to a page instead of the store page") { $0.url = $1 },
        .option("--to", "APP", .slug, help: "Send them to another app of the ledger") { $0.to = $1 },
      ]
    }
    if action == .force {
      parameters.append(
        .flag("--when-visible", help: "Record it although nothing newer is visible yet; it counts once it is")
        {
          $0.isForLater = true
        })
    }
    return parameters + ChangeOptions.parameters.pulled(\.change)
  }

  /// Where the rule sends clients.
  func destination(_ draft: Draft) throws -> Destination? {
    if url != nil, to != nil { throw UsageError(message: "--url and --to exclude each other") }
    if let url { return .url(try draft.url(url)) }
    return to.map(Destination.app)
  }
}

extension ValueType where Value == VersionRange {
  /// A range of client versions.
  static var range: Self {
    ValueType(completion: .live(.range)) { text throws(ValueError) in
      do throws(RangeFault) {
        return try VersionRange(text)
      } catch {
        throw ValueError(
          error.reason,
          hint: "write 7.2.1, all, below:7.3, upto:7.2, above:6, from:6.0 or 6.0..7.2, or several in quotes",
          id: "range.malformed")
      }
    }
  }
}
