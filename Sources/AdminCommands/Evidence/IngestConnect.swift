import AppleIntake
import CommandLineKit
import Crypto
import Intake
import JSON
import Ledger
import Platform
import ReleaseModel

extension Command where Context == PawlContext {
  static var ingestConnect: Command {
    .change(
      "asc", summary: "Import an App Store Connect answer, or fetch one",
      discussion: """
        Takes the answer of GET /v1/apps/{Apple ID}/appStoreVersions?include=build,appStoreVersionPhasedRelease, from a \
        file or with --fetch. Moves known releases to the states it shows, and records App Store Connect's id of the \
        version, its build and minimum OS if none is recorded, and the phase of a phased release. What the ledger \
        already has is not recorded again. What pawl fetched is proof; a file counts like 'mark'.

        --fetch also asks which build was uploaded last, so that 'pawl next' knows what only TestFlight has. It uses \
        curl, and a token signed with your key: PAWL_ASC_KEY names its file, which only its owner may access; \
        PAWL_ASC_KEY_ID and PAWL_ASC_ISSUER identify it. pawl never changes anything at Apple.
        """,
      examples: [
        .init("pawl ingest asc taxi --fetch", "ask; from a timer every five minutes"),
        .init("pawl ingest asc taxi versions.json", "a saved answer"),
      ], options: .unplannedChange
    ) {
      (
        .app, .optionalArgument("FILE", .input, help: "The answer; - for standard input"),
        .flag("--fetch", help: "Ask App Store Connect for it"),
        .fetchEndpoint
      )
    } run: { changing, app, file, isFetched, url in
      let context = changing.context
      try UsageError.demand(isFetched != (file != nil), "usage.invalid/one", ["options": "FILE and --fetch"])
      try UsageError.demand(isFetched || url == nil, "--endpoint", needs: "--fetch")
      let bytes = try file.map { try context.readGiven($0, limit: ConnectAnswer.maximumSize) }
      if let bytes { changing.cover([Recording.digest(of: bytes)]) }
      let (answers, key, uploaded) = try answers(about: changing.open().app(app), bytes, url, context)
      let name = file ?? "App Store Connect"
      let versions = context.oneRecordEach(answers.flatMap(\.versions))
      let (results, answer, question) = try changing.take(
        isHandedIn: !isFetched, heard: (app, .asc, nil, uploaded)
      ) { intake, draft in
        let source = StoreConnect(app: app, key: key)
        var results: [IntakeResult] = []
        // All ids go along before any version gets one, so that two records may have swapped.
        for (version, source) in try source.renamed(versions, &draft) {
          results.append(try intake.take(version.part, named: name, from: source, &draft))
        }
        for version in versions {
          results.append(try intake.take(version.part, named: name, from: source, &draft))
        }
        let webhooks = try intake.retryWebhooks(of: app, &draft)
        results += webhooks
        // A webhook that is applied only now may be about a state that is over: take the answer again.
        if webhooks.contains(where: { $0.outcome == .applied }) {
          for version in versions {
            let result = try intake.take(version.part, named: name, from: source, &draft)
            if result.outcome == .applied { results.append(result) }
          }
        }
        return results
      }
      return try changing.finish(results, isPoll: true) {
        guard changing.options.isDryRun else { return "" }
        let lines = [ImpactLine](of: answer["impact"])
        let why = changing.options.isAgreed(context) ? nil : question?.words
        return changing.preview(of: lines)
          + (why.map { "It would need your confirmation, or --yes: \($0).\n" } ?? "")
      }
    }
  }

  private static func answers(
    about app: App, _ bytes: [UInt8]?, _ url: String?, _ context: PawlContext
  ) throws -> (answers: [ConnectAnswer], key: String?, uploaded: UploadedBuild?) {
    if let bytes {
      let answer = try ConnectAnswer(bytes, appleID: app.appleID)
      context.noteOnePage(answer)
      context.noteUnread(answer.versions)
      return ([answer], nil, nil)
    }
    guard let appleID = app.appleID else {
      throw CommandFailure("asc.no-apple-id", ["app": app.slug])
    }
    return try context.fetched(appleID, app.platform, endpoint: url)
  }
}

extension Parameter where Value == String? {
  static var fetchEndpoint: Parameter {
    .option(
      "--endpoint", "URL", .text, help: "With --fetch, ask an address of this machine instead of Apple",
      reach: .host)
  }
}

extension PawlContext {
  /// Asks App Store Connect about an app, with the key that the environment names.
  func fetched(
    _ appleID: Int64, _ platform: ApplePlatform, endpoint: String?
  ) throws -> (answers: [ConnectAnswer], key: String?, uploaded: UploadedBuild?) {
    let fetch = try connectFetch(endpoint: endpoint)
    let answers = try fetch.answers(appleID: appleID)
    var uploaded: UploadedBuild?
    do {
      uploaded = try fetch.newestBuild(appleID: appleID, platform: platform)
    } catch {
      // The versions are worth having without it.
      note("note: the newest build is not known: \(report(error).message)\n")
    }
    noteUnread(answers.flatMap(\.versions))
    return (answers, fetch.usedKey, uploaded)
  }

  func connectFetch(endpoint: String?) throws -> ConnectFetch {
    try ConnectFetch(
      environment, url: endpoint, userAgent: "pawl/\(AdminCommands.version)", now: clock,
      run: { try self.captureProgram($0, $1, true) })
  }

  /// Names what of App Store Connect's versions and builds cannot be read, each once.
  func noteUnread(_ versions: [ConnectVersion]) {
    var named: Set<String> = []
    for what in versions.flatMap(\.unread) where named.insert(what).inserted {
      note("warning: cannot read \(printable(what, limit: 200)) in App Store Connect, so it does not count\n")
    }
  }

  /// Older versions first, so that one that goes live supersedes the one before it. Of several records of one version the
  /// one that is on sale counts, else one that was, else the last: with both, each poll would give the release another id.
  func oneRecordEach(_ versions: [ConnectVersion]) -> [ConnectVersion] {
    func order(_ version: ConnectVersion) -> (Version, Int, String) {
      let isInStore = !version.isNotarized && version.state?.isReleased == true
      let rank = !isInStore ? 0 : version.state == .live ? 2 : 1
      return (version.version ?? .zero, rank, version.id)
    }
    let versions = versions.sorted { order($0) < order($1) }
    let records = Dictionary(grouping: versions, by: \.version)
    return versions.filter { record in
      guard record.version != nil,
        let counts = records[record.version]?.last(where: { $0.platform == record.platform }),
        counts.id != record.id
      else { return true }
      note(
        "warning: App Store Connect has \(record.versionText) twice; of \(printable(record.id, limit: 40)) and "
          + "\(printable(counts.id, limit: 40)) the latter counts\n")
      return false
    }
  }

  func noteOnePage(_ answer: ConnectAnswer) {
    guard answer.next != nil else { return }
    note("note: the answer is one page of several: its links.next leads to the next\n")
  }
}

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
      let file = file ?? "-"
      let body = try changing.context.readGiven(file, limit: 1 << 20)
      let secret = try WebhookSecret.read(secretFile)
      guard !secret.isEmpty, let code = signatureCode(signature),
        HMACSHA256.isValid(code, for: body, key: secret)
      else {
        throw CommandFailure("webhook.bad-signature")
      }
      return try changing.take(
        body, named: file, from: StoreWebhook(app: app, secretHash: WebhookSecret.hash(secret)))
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
