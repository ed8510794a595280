import CommandLineKit
import JSON
import Ledger
import ReleaseModel

private struct TrustWebhookOptions: Sendable {
  var change = ChangeOptions()
  var app = ""
  var secretFile = ""
  var isSinglePlatform = false
}

extension Command where Context == PawlContext {
  /// Pins the secret of an app's webhook.
  static var trustWebhook: Command {
    Command(
      "webhook", summary: "Pin the secret that signs an app's webhooks",
      discussion: """
        Webhooks signed with this secret are proof; the ledger keeps its SHA-256 only. A webhook is for all platforms \
        of an app and names neither platform nor version. Say --single-platform only where the app at Apple has one \
        platform: then a webhook about a version whose id the ledger does not know goes to the only release that can \
        be meant.
        """,
      examples: [
        .init(
          "pawl trust webhook taxi --secret-file /etc/pawl/webhook --single-platform", "an app for iOS alone")
      ],
      options: { TrustWebhookOptions() },
      parameters: {
        [
          .argument("APP", .slug, help: "The app whose webhook it is") { $0.app = $1 },
          .option(
            "--secret-file", "FILE", .path, help: "A file with the secret you gave Apple", required: true
          ) { $0.secretFile = $1 },
          .flag("--single-platform", help: "The app at Apple has one platform") {
            $0.isSinglePlatform = true
          },
        ] + ChangeOptions.parameters.pulled(\.change)
      }
    ) { options, call, context in
      let secret = try WebhookSecret.read(options.secretFile)
      guard !secret.isEmpty else {
        throw Report(
          "trust.secret-empty", "cannot pin the webhook secret of \(options.app): the file is empty",
          hint: "put the secret you gave Apple into it, on one line", exit: .data)
      }
      let trust = Trust(
        kind: .webhook, value: options.app, key: WebhookSecret.hash(secret),
        isSinglePlatform: options.isSinglePlatform)
      var changing = Changing(options.change, call, context)
      changing.extraWords = [WebhookSecret.hash(secret)]
      return try changing.run { draft in
        _ = try draft.line(options.app)
        draft.trust(trust, true)
      } answer: { _ in
        [("trust", trust.json)]
      } text: { answer in
        answer["changed"]?.bool == true
          ? "Trusts webhooks of \(options.app) signed with this secret.\n"
            + "next: pawl inbox retry judges again what was parked\n"
          : "Already trusted; nothing to record.\n"
      }
    }
  }
}
