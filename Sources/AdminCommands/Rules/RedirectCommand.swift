import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct RedirectOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var range: VersionRange?
  var url: String?
  var to: String?
  var clears = false
  var isForLater = false
}

extension Command where Context == PawlContext {
  /// Sends a range of versions elsewhere.
  static var redirect: Command {
    Command(
      "redirect", summary: "Set or clear where a range of client versions is sent",
      discussion: """
        Sends clients to a page, or to another app of the ledger (a migration). Two apps' versions do not compare, \
        so by policy those sent to another app are reminded; add a force to move everybody.
        """,
      examples: [
        .init("pawl redirect taxi-enterprise all --to taxi --yes", "move enterprise users to the store"),
        .init(
          "pawl redirect taxi 5.0..5.9 --url https://apps.apple.com/app/id1524608462 --yes",
          "a page of its own"),
        .init("pawl redirect taxi-enterprise all --clear --yes", "the way back"),
      ],
      section: "Rules", options: { RedirectOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app") { $0.app = $1 },
          .argument("RANGE", .range, help: "Client versions, as for 'force'") { $0.range = $1 },
          .option("--url", "URL", .text, help: "The page to send them to") { $0.url = $1 },
          .option("--to", "APP", .slug, help: "The other app of the ledger to send them to") { $0.to = $1 },
          .flag("--clear", help: "Clear the redirect for exactly this range") { $0.clears = true },
          .flag("--when-visible", help: "Record it although the other app has nothing visible yet") {
            $0.isForLater = true
          },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      guard let range = options.range else { return .usage }
      guard [options.url != nil, options.to != nil, options.clears].filter({ $0 }).count == 1 else {
        throw UsageError(message: "say one of --url URL, --to APP and --clear")
      }
      return try Changing(options.change, call, context).run { draft in
        guard !options.clears else {
          try draft.change(options.app) { line in line.clearRedirect(range) }
          return
        }
        let command = "redirect \(range.text)"
        let destination: Destination
        if let other = options.to {
          let snapshot = try draft.snapshot(options.app, with: other)
          do throws(GuardViolation) {
            guard other != options.app else { throw .sameApp }
            if !options.isForLater { try snapshot.checkTarget(other, at: draft.now) }
          } catch {
            throw LedgerError.guarded(app: options.app, command: command, error)
          }
          try draft.checkNoCycle(command, from: options.app, to: other)
          destination = .app(other)
        } else {
          destination = .url(try draft.url(options.url ?? ""))
        }
        let redirect = Redirect(
          number: try draft.nextNumber(of: .redirect), range: range, destination: destination)
        try draft.change(options.app) { line in line.redirect(redirect) }
      } answer: { draft in
        let redirect = try draft.line(options.app).redirects.last { $0.range == range }
        return [("redirect", redirect?.json(app: options.app) ?? .null)]
      } text: { answer in
        guard answer["changed"]?.bool == true else { return "\(options.app) \(range.text): so already.\n" }
        guard let redirect = answer["redirect"], redirect != .null else {
          return "\(options.app) \(range.text) is no longer redirected.\n"
        }
        let place = redirect["to"]?.string ?? redirect["url"]?.string ?? ""
        return
          "\(options.app) \(range.text) is sent to \(place).\nnext: pawl check \(options.app) VERSION --explain\n"
      }
    }
  }
}
