extension Version {
  /// The least version that is greater than this one in the given component; nil if there is none.
  func successor(at component: Int) -> Version? {
    guard self.component(component) < 999_999_999 else { return nil }
    let parts = (0...max(2, component)).map { index in
      index < component ? self.component(index) : index == component ? self.component(index) + 1 : 0
    }
    return try? Version(parts.map(String.init).joined(separator: "."))
  }

  /// The version with every component after the first `count` set to 0.
  func truncated(to count: Int) -> Version {
    let parts = (0..<4).map { $0 < count ? component($0) : 0 }
    return (try? Version(parts.map(String.init).joined(separator: "."))) ?? self
  }

  /// The greatest version below this one; nil for 0.
  var before: Version? {
    var parts = (0..<4).map(component)
    guard let place = parts.lastIndex(where: { $0 > 0 }) else { return nil }
    parts[place] -= 1
    for index in parts.indices where index > place { parts[index] = 999_999_999 }
    return try? Version(parts.map(String.init).joined(separator: "."))
  }

  /// The least version above this one; nil for the greatest.
  var after: Version? {
    var parts = (0..<4).map(component)
    guard let place = parts.lastIndex(where: { $0 < 999_999_999 }) else { return nil }
    parts[place] += 1
    for index in parts.indices where index > place { parts[index] = 0 }
    return try? Version(parts.map(String.init).joined(separator: "."))
  }
}
