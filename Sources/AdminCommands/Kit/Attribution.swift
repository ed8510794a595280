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
      "ci": ContinuousIntegration.json { text($0) },
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

  /// An environment variable reduced to one line of visible text; nil if it is unset or blank.
  private func text(_ name: String, limit: Int = 500) -> String? {
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
enum ContinuousIntegration {
  /// Each system, the variable that it always sets, the address or number of a run, and the variables that may name
  /// the actor, taken from the system's own list of predefined variables.
  ///
  /// The address of an Azure collection ends with a slash. Jenkins comes last, because other systems run under it, or
  /// set its variables for old scripts.
  private static let systems = """
    github-actions GITHUB_ACTIONS {GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID} \
    GITHUB_TRIGGERING_ACTOR GITHUB_ACTOR
    gitlab-ci GITLAB_CI {CI_JOB_URL} GITLAB_USER_LOGIN
    circleci CIRCLECI {CIRCLE_BUILD_URL} CIRCLE_USERNAME
    buildkite BUILDKITE {BUILDKITE_BUILD_URL} BUILDKITE_BUILD_CREATOR
    azure-pipelines TF_BUILD {SYSTEM_COLLECTIONURI}{SYSTEM_TEAMPROJECT}/_build/results?buildId={BUILD_BUILDID} \
    BUILD_REQUESTEDFOR
    bitbucket-pipelines BITBUCKET_BUILD_NUMBER {BITBUCKET_GIT_HTTP_ORIGIN}/pipelines/results/{BITBUCKET_BUILD_NUMBER} \
    BITBUCKET_STEP_TRIGGERER_UUID
    xcode-cloud CI_XCODE_CLOUD {CI_BUILD_URL}
    teamcity TEAMCITY_VERSION {BUILD_NUMBER}
    jenkins JENKINS_URL {BUILD_URL} BUILD_USER_ID
    """

  static func json(_ variables: (String) -> String?) -> JSON {
    for line in systems.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard variables(words[1]) != nil else { continue }
      let run = withoutCredentials(completed(words[2], variables))
      return [
        // One with a name left says nothing.
        "system": .string(words[0]), "run": run.contains("{") ? .null : .string(run),
        "actor": .optional(words.dropFirst(3).lazy.compactMap(variables).first),
      ]
    }
    return .null
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
