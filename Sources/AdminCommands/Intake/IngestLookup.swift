import AppleIntake
import CommandLineKit
import Intake
import JSON
import Ledger
import Platform
import ReleaseModel

private struct LookupOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var file = "-"
  var country = "US"
}

extension Command where Context == PawlContext {
  /// What the store serves.
  static var ingestLookup: Command {
    Command(
      "lookup", summary: "Take in an answer of the store's lookup",
      discussion: """
        An answer that shows the live version, or a newer one the ledger knows, ends its hold, once every country of \
        'app set --countries' has shown it. Its release notes become those of a live release without any. It never moves \
        a state back, and marks nothing live unless the app says '--live-by lookup'. A version the ledger does not \
        know is parked and an alarm, until the ledger knows it.
        """,
      examples: [
        .init(
          "curl -s 'https://itunes.apple.com/lookup?id=1524608462' | pawl ingest lookup taxi -",
          "the store of the US")
      ],
      options: { LookupOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app") { $0.app = $1 },
          .argument("FILE", .path, help: "The answer; - for standard input", required: false) {
            $0.file = $1
          },
          .option("--country", "CC", .country, help: "The store that was asked; US if not said") {
            $0.country = $1
          },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      let bytes =
        options.file == "-"
        ? try context.readAllInput(limit: 4 << 20) : try readFile(options.file, limit: 4 << 20)
      let run = try IngestRun(options.change, call, context, words: [Recording.digest(of: bytes)])
      let source = StoreLookup(app: options.app, country: options.country)
      do {
        return try run.finish(run.record(bytes, named: options.file, from: source), isStrict: false)
      } catch LookupFault.malformed(let reason) {
        throw Report(
          "lookup.malformed", "cannot read the lookup answer: \(reason)",
          hint: "feed what https://itunes.apple.com/lookup?id=… answered, as it came", exit: .data)
      }
    }
  }
}

extension ValueType where Value == String {
  /// A country code.
  fileprivate static var country: Self {
    ValueType { text throws(ValueError) in
      let code = text.uppercased()
      guard App.isCountry(code) else { throw ValueError("not a country code", hint: "such as US or CN") }
      return code
    }
  }
}
