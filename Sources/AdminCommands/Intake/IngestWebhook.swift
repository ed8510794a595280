import CommandLineKit
import Crypto
import Intake
import Ledger
import Platform

extension Command where Context == PawlContext {
  static var ingestWebhook: Command {
    .change(
      "webhook", summary: "Import the body of an App Store Connect webhook",
      discussion: """
        Counts only with its HMAC signature over the raw body. A webhook is for all platforms of an app and \
        names neither platform nor version, so it is matched by App Store Connect's own id of the version; \
        an unknown id is parked until 'ingest asc' names it.
        """,
      examples: [
        .init(
          "pawl ingest webhook taxi body.json --signature hmacsha256=7f06… --secret-file /etc/pawl/webhook",
          "a body kept by your web server")
      ], options: .unplannedChange
    ) {
      (
        .webhookApp, .optionalArgument("FILE", .input, help: "The raw body; - for standard input"),
        .requiredOption("--signature", "S", .line, help: "The header x-apple-signature"), .secretFile
      )
    } run: { changing, app, file, signature, secretFile in
      let context = changing.context
      let file = file ?? "-"
      let body = try context.readGiven(file, limit: 1 << 20)
      let secret = try WebhookSecret.read(secretFile)
      guard !secret.isEmpty, let code = signatureCode(signature),
        HMACSHA256.isValid(code, for: body, key: secret)
      else {
        throw CommandFailure("webhook.bad-signature")
      }
      let run = try IngestRun(changing, covering: [body])
      let source = StoreWebhook(app: app, secretHash: WebhookSecret.hash(secret))
      return try run.take(body, named: file, from: source)
    }
  }

  /// The bytes of a signature header: `hmacsha256=` and 64 hexadecimal digits; nil for anything else.
  private static func signatureCode(_ header: String) -> [UInt8]? {
    let prefix = "hmacsha256="
    let digits = header.hasPrefix(prefix) ? header.dropFirst(prefix.count) : header[...]
    return digits.utf8.count == 64 ? hexadecimalBytes(String(digits)) : nil
  }
}

extension Parameter where Value == String {
  static var webhookApp: Parameter { .argument("APP", .slug, help: "The app whose webhook it is") }

  static var secretFile: Parameter {
    .requiredOption("--secret-file", "FILE", .path, help: "A file with the secret you gave Apple")
  }
}

enum WebhookSecret {
  /// Reads a secret from a file, without the line end that an editor adds.
  static func read(_ path: String) throws -> [UInt8] {
    var secret = try readFile(path, limit: 4_096)
    while secret.last == 0x0A || secret.last == 0x0D { secret.removeLast() }
    return secret
  }

  static func hash(_ secret: [UInt8]) -> String { SHA256.hexadecimal(of: secret) }
}
