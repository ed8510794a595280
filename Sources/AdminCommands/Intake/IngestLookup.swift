import AppleIntake
import CommandLineKit
import Intake
import JSON
import Ledger
import Platform
import ReleaseModel

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
      ]
    ) {
      (
        .app, .optionalArgument("FILE", .path, help: "The answer; - for standard input"),
        .option("--country", "CC", .country, help: "The store that was asked; US if not said"),
        .unplannedChange
      )
    } run: { context, app, file, country, change in
      let file = file ?? "-"
      let bytes = try context.readGiven(file, limit: 4 << 20)
      let run = try IngestRun(change, context, words: [Recording.digest(of: bytes)])
      let source = StoreLookup(app: app, country: country ?? "US")
      do {
        let results = try run.record(heard: (app, .lookup)) { draft in
          var intake = try EvidenceIntake(draft, limit: run.quota)
          return [try intake.take(bytes, named: file, from: source, &draft)]
        }
        return try run.finish(results, isStrict: false)
      } catch LookupFault.malformed(let reason) {
        throw CommandFailure(
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
