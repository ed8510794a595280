import ReleaseModel
import Testing

/// Redirects, settings and rules that count from one moment to another.
@Suite struct WindowTests {
  private let url = "https://apps.apple.com/app/id"

  /// `taxi` with 7.0 to 8.2 out and visible, and everybody reminded.
  private func taxi() throws -> Shell {
    let shell = try Shell.taxi()
    try shell.tell("app set taxi --policy none --yes\npast taxi 7.0 7.9 8.2\nremind taxi all --yes")
    return shell
  }

  @Test
  func `a redirect counts from one moment to another, and replaces the one for the same range and window`()
    throws
  {
    let shell = try taxi()
    let (one, two) = (later(86_400).text, later(3 * 86_400).text)
    try shell.tell(
      """
      redirect taxi 7.0 --url \(url)1 --yes
      redirect taxi 7.0 --url \(url)2 --from 1d --until 3d --yes → redirect.from=\(one) redirect.until=\(two) impact.*.at=[\(one)]
      check taxi 7.0 → url=\(url)1
      check taxi 7.0 --at 1d → url=\(url)2
      check taxi 7.0 --at 3d → url=\(url)1
      redirect taxi 7.0.0 --url \(url)2 --from 1d --until 3d → same changed=false
      redirect taxi 7.0 --url \(url)1 → same changed=false
      redirect taxi 7.0 --url \(url)1 --from 1d --until 3d --yes
      redirects taxi → redirects.#=2
      redirect taxi 7.0 --url \(url)1 --from 1d --yes
      redirects taxi → redirects.#=3
      """)
  }

  @Test func `where a force or a redirect leads must be there when it starts`() throws {
    let shell = try taxi()
    try shell.tell(
      """
      app add van --bundle-id com.example.van --apple-id 7
      publish van 1.0
      mark van 1.0 live
      redirect taxi 8.2 --to van --yes → target.nothing-visible
      redirect taxi 8.2 --to van --from 2d --yes
      force taxi 8.2 --reason x --yes → force.nothing-newer
      force taxi 8.2 --reason x --from 1d --yes → force.nothing-newer
      force taxi 8.2 --reason x --from 2d --yes
      """)
  }

  @Test func `a setting counts from one moment to another, beside the one without a window`() throws {
    let shell = try taxi()
    try shell.tell(
      """
      setting taxi map-key paid
      setting taxi map-key trial --from 1d --until 3d → changed=true setting.from=\(later(86_400).text)
      check taxi 7.0 → settings.map-key=paid
      check taxi 7.0 --at 1d → settings.map-key=trial
      check taxi 7.0 --at 3d → settings.map-key=paid
      setting taxi map-key trial --from 1d --until 3d → same changed=false
      setting taxi map-key other --from 1d --until 3d
      settings taxi → settings.#=2
      setting taxi map-key --clear
      check taxi 7.0 → settings.map-key=null
      setting taxi map-key --clear --from 1d --until 3d
      check taxi 7.0 --at 1d → settings.map-key=null
      revert LAST --yes
      check taxi 7.0 --at 1d → settings.map-key=other
      """)
  }

  @Test
  func
    `a grace is there already where nothing newer has come between, and two rules that look alike are none`()
    throws
  {
    let shell = try taxi()
    try shell.tell(
      """
      force taxi below:7.9 --grace 2027-06-01 --reason crash --yes → changed=true
      force taxi below:7.9 --grace 2027-06-01 --reason crash --yes → same changed=false event=null
      allow taxi 7.0
      force taxi below:7.9 --grace 2027-06-01 --reason crash --yes → changed=true
      lift taxi 6 --yes → left.number=5
      remind taxi below:8.2 --until 14d --yes
      force taxi below:7.9 --from 14d --reason crash --yes
      lift taxi 8 --yes → left=null
      """)
  }
}
