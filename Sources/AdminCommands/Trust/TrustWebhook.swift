import CommandLineKit
import ReleaseModel

extension Command where Context == PawlContext {
  static var trustWebhook: Command {
    Command(
      "webhook", summary: "Pin the secret that signs an app's webhooks",
      discussion: """
        Webhooks signed with this secret are proof; the ledger keeps only its SHA-256. A webhook is for all \
        platforms of an app and names neither platform nor version. Use --single-platform only if the app at \
        Apple has one platform: a webhook about a version whose id the ledger does not know then goes to the \
        only release that fits.
        """,
      examples: [
        .init(
          "pawl trust webhook taxi --secret-file /etc/pawl/webhook --single-platform", "an app for iOS alone")
      ]
    ) {
      (
        .webhookApp, .secretFile, .flag("--single-platform", help: "The app at Apple has one platform"),
        .change
      )
    } run: { context, app, secretFile, isSinglePlatform, change in
      let hash = try context.secretHash(of: secretFile) {
        let secret = try WebhookSecret.read(secretFile)
        guard !secret.isEmpty else {
          throw CommandFailure(
            "trust.secret-empty", "cannot pin the webhook secret of \(app): the file is empty",
            hint: "put the secret you gave Apple into it, on one line", exit: .data)
        }
        return WebhookSecret.hash(secret)
      }
      let trust = Trust(
        kind: .webhook, value: app, key: hash, isSinglePlatform: isSinglePlatform)
      var changing = Changing(change, context)
      changing.extraWords = [hash]
      return try changing.trust(
        trust, "Now trusting webhooks of \(app) signed with this secret", same: "Already trusted",
        next: "pawl inbox retry, to reconsider what was parked")
    }
  }
}
