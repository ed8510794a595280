import JSON
import Testing

@testable import AdminCommands

@Suite struct AttributionTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  private func actor(_ environment: [String: String], _ words: String = "") throws -> JSON {
    shell.environment = environment
    let seq = try shell.done("trust host h\(environment.count)-\(words.count).example.com --json \(words)")
      .json
    return try #require(try shell.done("show \(seq["event"]?.integer ?? 0) --json").json["actor"])
  }

  @Test func `the principal of a forced command is kept apart from the claimed name`() throws {
    let found = try actor(["PAWL_PRINCIPAL": "alice", "PAWL_ACTOR": "bot"])
    #expect(found["principal"] == "alice" && found["claimed"] == "bot" && found["user"] == "engineer")
    #expect(try actor(["PAWL_PRINCIPAL": "alice"], "--actor carol")["claimed"] == "carol")
    let history = try shell.done("history --by alice --json").json["events"]?.array ?? []
    #expect(history.count == 2)
  }

  @Test func `ssh says from where, and never what was asked for`() throws {
    let found = try actor([
      "SSH_CONNECTION": "192.0.2.7 51000 192.0.2.1 22",
      "SSH_ORIGINAL_COMMAND": "pawl trust host --reason canary",
    ])
    #expect(found["ssh"] == ["from": "192.0.2.7", "forced": true])
    #expect(!found.text().contains("canary"))
    #expect(try actor(["SSH_CONNECTION": "2001:db8::7 1 2001:db8::1 22"])["ssh"]?["forced"] == false)
  }

  @Test(arguments: [
    """
    github-actions https://git.example.com/team/app/actions/runs/7 octo GITHUB_ACTIONS=true \
    GITHUB_SERVER_URL=https://git.example.com GITHUB_REPOSITORY=team/app GITHUB_RUN_ID=7 GITHUB_ACTOR=other \
    GITHUB_TRIGGERING_ACTOR=octo
    """,
    """
    gitlab-ci https://git.example.com/-/jobs/7 octo GITLAB_CI=true \
    CI_JOB_URL=https://git.example.com/-/jobs/7 GITLAB_USER_LOGIN=octo
    """,
    """
    circleci https://ci.example.com/7 octo CIRCLECI=true CIRCLE_BUILD_URL=https://ci.example.com/7 \
    CIRCLE_USERNAME=octo
    """,
    """
    buildkite https://ci.example.com/7 octo BUILDKITE=true BUILDKITE_BUILD_URL=https://ci.example.com/7 \
    BUILDKITE_BUILD_CREATOR=octo
    """,
    """
    azure-pipelines https://ci.example.com/team/app/_build/results?buildId=7 octo TF_BUILD=True \
    SYSTEM_COLLECTIONURI=https://ci.example.com/team/ SYSTEM_TEAMPROJECT=app BUILD_BUILDID=7 \
    BUILD_REQUESTEDFOR=octo
    """,
    """
    bitbucket-pipelines https://git.example.com/team/app/pipelines/results/7 {octo} BITBUCKET_BUILD_NUMBER=7 \
    BITBUCKET_GIT_HTTP_ORIGIN=https://git.example.com/team/app BITBUCKET_STEP_TRIGGERER_UUID={octo}
    """,
    "xcode-cloud https://ci.example.com/7 null CI_XCODE_CLOUD=TRUE CI_BUILD_URL=https://ci.example.com/7",
    "teamcity 7 null TEAMCITY_VERSION=2026.1 BUILD_NUMBER=7",
    """
    jenkins https://ci.example.com/job/7/ octo JENKINS_URL=https://ci.example.com/ \
    BUILD_URL=https://ci.example.com/job/7/ BUILD_USER_ID=octo
    """,
    "github-actions null null GITHUB_ACTIONS=true GITHUB_RUN_ID=7",
  ])
  func `a CI system is known by its environment, and half an address is not recorded`(line: String) throws {
    let words = line.split(separator: " ")
    let variables = words.dropFirst(3).map { "set \($0)" }.joined(separator: "\n")
    try shell.tell(
      """
      \(variables)
      trust host example.com
      show LAST → actor.ci.system=\(words[0]) actor.ci.run=\(words[1]) actor.ci.actor=\(words[2])
      """)
  }

  @Test func `an environment that says nothing of a system is none`() throws {
    try shell.tell("set CI=true\ntrust host example.com\nshow LAST → actor.ci=null")
  }

  @Test(arguments: [
    ("https://user:canary@git.example.com/a", "https://git.example.com/a"),
    ("https://canary@git.example.com", "https://git.example.com"),
    ("https://git.example.com/a@b", "https://git.example.com/a@b"), ("no address@all", "no address@all"),
    ("https://", "https://"),
  ])
  func `an address loses user and password`(address: String, wanted: String) {
    #expect(ContinuousIntegration.withoutCredentials(address) == wanted)
  }

  @Test func `what the environment says is one line of limited length`() throws {
    let found = try actor([
      "PAWL_PRINCIPAL": "al\u{1B}[31mi\nce\u{202E}\u{200B}",
      "PAWL_ACTOR": String(repeating: "ü", count: 5_000),
      "SSH_CONNECTION": "\u{7}",
    ])
    #expect(found["principal"] == "al[31mice")
    #expect((found["claimed"]?.string?.utf8.count ?? 0) == 1_000)
    #expect(found["ssh"] == .null)
    #expect(try actor(["PAWL_PRINCIPAL": " \n"])["principal"] == .null)
  }
}
