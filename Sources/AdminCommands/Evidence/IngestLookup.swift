import AppleIntake
import CommandLineKit
import Intake
import Ledger
import ReleaseModel

extension Command where Context == PawlContext {
  static var ingestLookup: Command {
    .change(
      "lookup", summary: "Import an App Store lookup answer",
      discussion: """
        An answer that shows the live version, or a newer one that the ledger knows, ends the hold of that \
        version, once every country in 'app set --countries' has shown it. A live release without notes \
        gets the release notes in the answer. A lookup never moves a state back, and marks a release \
        live only if the app is set to '--live-by lookup'. An answer about another platform of the same Apple ID changes \
        nothing. A version that the ledger does not know, or knows as not \
        yet live, is parked, and raises an alarm until the ledger knows it.
        """,
      examples: [
        .init(
          "curl -s 'https://itunes.apple.com/lookup?id=1524608462' | pawl ingest lookup taxi -",
          "ask the US store")
      ], options: .unplannedChange
    ) {
      (
        .app, .optionalArgument("FILE", .input, help: "The answer; - for standard input"),
        .option("--country", "CC", .country, help: "The store that was asked; default: US")
      )
    } run: { changing, app, file, country in
      let (file, country) = (file ?? "-", country ?? "US")
      return try changing.take(
        changing.context.readGiven(file, limit: 4 << 20), named: file,
        from: StoreLookup(app: app, country: country), heard: (app, .lookup, country, nil))
    }
  }
}

func report(_ fault: LookupFault) -> CommandFailure {
  let reason =
    switch fault {
    case .malformed(let reason): reason
    case .absent: "it lists no such app"
    case .refused(let reason, _): meaning(of: reason) ?? reason
    }
  return CommandFailure("lookup.malformed", ["reason": reason])
}

extension ValueType where Value == String {
  fileprivate static var country: Self {
    ValueType { text throws(UsageError) in
      let code = text.uppercased()
      guard App.isCountry(code) else {
        throw UsageError("usage.invalid-value/country")
      }
      return code
    }
  }
}
