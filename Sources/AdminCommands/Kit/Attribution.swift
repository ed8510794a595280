import CommandLineKit
import JSON
import Platform

/// Who changes the ledger, as the event records it: what the system reports, apart from what is only claimed.
struct Attribution {
  let context: PawlContext
  let claimed: String?

  var json: JSON {
    [
      "user": .string(context.user.name), "uid": .integer(Int64(context.user.uid)),
      "loginUid": .optional(context.loginUID().map { Int64($0) }), "host": .string(context.host),
      "terminal": .bool(context.isInputTerminal),
      "claimed": .optional(claimed ?? text("PAWL_ACTOR", limit: 1_000)),
      "principal": .optional(text("PAWL_PRINCIPAL")), "ssh": ssh,
      "ci": ContinuousIntegration(text)?.json ?? .null,
    ]
  }

  /// Where the user came from, if sshd tells (sshd(8), ENVIRONMENT).
  ///
  /// It leaves out the command that sshd names, which may contain anything.
  private var ssh: JSON {
    guard let from = text("SSH_CONNECTION")?.split(separator: " ").first else { return .null }
    return [
      "from": .string(String(from)), "forced": .bool(context.environment("SSH_ORIGINAL_COMMAND") != nil),
    ]
  }

  private func text(_ name: String) -> String? { text(name, limit: 500) }

  /// An environment variable reduced to one line of visible text; nil if it is unset or blank.
  private func text(_ name: String, limit: Int) -> String? {
    guard let value = context.environment(name) else { return nil }
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar.properties.generalCategory {
      // Format characters can change the direction of text, or be invisible.
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: continue
      default: text.unicodeScalars.append(scalar)
      }
      if text.utf8.count >= limit { break }
    }
    return text.contains { $0 != " " } ? text : nil
  }
}

/// The continuous integration system that runs a command, as the environment names it: a claim, not a proof.
struct ContinuousIntegration {
  let system: String
  let run: String?
  let actor: String?

  /// A CI system: the variable that it always sets, and where to find the rest.
  private struct Kind: Sendable {
    let system: String
    let sign: String
    /// The parts of the run's address; if one of its variables is missing, the next address counts.
    let runs: [[String]]
    var actors: [String] = []
  }

  /// Taken from each system's own list of predefined variables.
  private static let kinds = [
    Kind(
      system: "github-actions", sign: "GITHUB_ACTIONS",
      runs: [["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "actions/runs", "GITHUB_RUN_ID"]],
      actors: ["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR"]),
    Kind(
      system: "gitlab-ci", sign: "GITLAB_CI", runs: [["CI_JOB_URL"], ["CI_PIPELINE_URL"]],
      actors: ["GITLAB_USER_LOGIN"]),
    Kind(
      system: "circleci", sign: "CIRCLECI", runs: [["CIRCLE_BUILD_URL"], ["CIRCLE_WORKFLOW_ID"]],
      actors: ["CIRCLE_USERNAME"]),
    Kind(
      system: "buildkite", sign: "BUILDKITE", runs: [["BUILDKITE_BUILD_URL"], ["BUILDKITE_BUILD_ID"]],
      actors: ["BUILDKITE_BUILD_CREATOR"]),
    Kind(
      system: "azure-pipelines", sign: "TF_BUILD",
      runs: [
        ["SYSTEM_COLLECTIONURI", "SYSTEM_TEAMPROJECT", "_build/results?buildId=", "BUILD_BUILDID"],
        ["BUILD_BUILDID"],
      ], actors: ["BUILD_REQUESTEDFOR"]),
    Kind(
      system: "bitbucket-pipelines", sign: "BITBUCKET_BUILD_NUMBER",
      runs: [
        ["BITBUCKET_GIT_HTTP_ORIGIN", "pipelines/results", "BITBUCKET_BUILD_NUMBER"],
        ["BITBUCKET_BUILD_NUMBER"],
      ], actors: ["BITBUCKET_STEP_TRIGGERER_UUID"]),
    Kind(system: "xcode-cloud", sign: "CI_XCODE_CLOUD", runs: [["CI_BUILD_URL"], ["CI_BUILD_ID"]]),
    Kind(system: "teamcity", sign: "TEAMCITY_VERSION", runs: [["BUILD_URL"], ["BUILD_NUMBER"]]),
    // Last, because other systems run under Jenkins, or set its variables for old scripts.
    Kind(
      system: "jenkins", sign: "JENKINS_URL", runs: [["BUILD_URL"], ["BUILD_TAG"]],
      actors: ["BUILD_USER_ID", "CHANGE_AUTHOR"]),
  ]

  init?(_ variables: (String) -> String?) {
    guard let kind = ContinuousIntegration.kinds.first(where: { variables($0.sign) != nil }) else {
      return nil
    }
    system = kind.system
    let address: String? = kind.runs.reduce(nil) { $0 ?? ContinuousIntegration.address($1, variables) }
    run = address.map(ContinuousIntegration.withoutCredentials)
    actor = kind.actors.reduce(nil) { $0 ?? variables($1) }
  }

  var json: JSON { ["system": .string(system), "run": .optional(run), "actor": .optional(actor)] }

  /// Joins variables, which are in capitals, and texts with single slashes; nil if a variable is missing.
  private static func address(_ parts: [String], _ variables: (String) -> String?) -> String? {
    var address = ""
    for part in parts {
      guard let text = part == part.uppercased() ? variables(part) : part else { return nil }
      if !address.isEmpty, !address.hasSuffix("/"), !address.hasSuffix("buildId=") { address += "/" }
      address += text
    }
    return address
  }

  /// Removes the user name and password that may precede the host of an address: they must not be recorded.
  static func withoutCredentials(_ address: String) -> String {
    let bytes = Array(address.utf8)
    guard let colon = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) else {
      return address
    }
    let end = bytes[(colon + 3)...].firstIndex { [0x2F, 0x3F, 0x23, 0x5C].contains($0) } ?? bytes.count
    guard let at = bytes[(colon + 3)..<end].lastIndex(of: 0x40) else { return address }
    return String(decoding: bytes[..<(colon + 3)] + bytes[(at + 1)...], as: UTF8.self)
  }
}

extension Call {
  /// The command as its last event says it: its arguments, and which options it had; their values may be texts, or
  /// names of this host's files.
  var recorded: String {
    let words = words.filter { !["--reason", "--actor"].contains($0.name) }.map { word in
      word.name.hasPrefix("-") ? word.name : ShellWords.quoted(word.value ?? "")
    }
    return printable((path + words).joined(separator: " "), limit: 200)
  }
}
