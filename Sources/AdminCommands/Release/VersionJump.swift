import ReleaseModel

extension Version {
  /// Whether it is so far above another version that one of the two looks mistyped: its first or second
  /// number is ten times as great, or it is ten or more major versions ahead.
  func isJump(from other: Version) -> Bool {
    for index in 0...1 where component(index) != other.component(index) {
      let (before, after) = (other.component(index), component(index))
      if after < before { return false }
      return (after >= 10 && after >= before * 10) || (index == 0 && after - before >= 10)
    }
    return false
  }
}

extension ReleaseLine {
  /// The version of the greatest release that counts and meets a condition.
  func newest(where condition: (Release) -> Bool) -> Version? {
    releases.last { $0.isOnLine && condition($0) }?.version
  }

  /// A warning if a version is far above the one before it.
  func jumpWarning(_ version: Version, after other: Version?) -> [String] {
    guard let other, version.isJump(from: other) else { return [] }
    let name = release(version)?.version.text ?? version.text
    let flag = release(version)?.mayBeVoid == false ? " --never-shipped" : ""
    return [
      "\(name) is far above \(other.text), the version before it; if it is a typo: "
        + "pawl void \(app.slug) \(name)\(flag) --reason \"…\""
    ]
  }
}
