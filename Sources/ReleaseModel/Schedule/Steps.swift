/// A function that stays the same from each key at which it steps until the next one: of versions, of moments, or of
/// systems.
///
/// It is never empty. Below its first key, it is what it is from there on.
package struct Steps<Key: Comparable & Sendable, Value: Sendable>: Sendable {
  /// A stretch on which it stays the same.
  package struct Span: Sendable {
    package let from: Key
    /// Where the next one begins; nil for the last one.
    package let end: Key?
    package let value: Value
  }

  /// Ascending, as many as there are values.
  package private(set) var starts: [Key]
  package private(set) var values: [Value]

  private init(_ starts: [Key], _ values: [Value]) { (self.starts, self.values) = (starts, values) }

  /// Makes a function that is always the same.
  package init(_ value: Value, from key: Key) { self.init([key], [value]) }

  /// Makes a function of ascending keys with their values, without the steps at which nothing changes; nil for none.
  package init?(
    _ pairs: some Sequence<(Key, Value)>, joining isSame: (Value, Value) -> Bool = { _, _ in false }
  ) {
    self.init([], [])
    for (key, value) in pairs {
      if let last = values.last, isSame(last, value) { continue }
      starts.append(key)
      values.append(value)
    }
    if starts.isEmpty { return nil }
  }

  /// What it is at a key, and as far as it stays that.
  package func span(at key: Key) -> Span { self[index(at: key)] }

  private func index(at key: Key) -> Int { Swift.max(0, starts.firstPosition { key < $0 } - 1) }

  /// The same without the steps at which nothing changes.
  package func joined(_ isSame: (Value, Value) -> Bool) -> Steps {
    Steps(zip(starts, values), joining: isSame) ?? self
  }

  /// What another function makes of its values.
  package func mapped<Other>(_ body: (Value) throws -> Other) rethrows -> Steps<Key, Other> {
    Steps<Key, Other>(starts, try values.map(body))
  }

  /// Both functions in one, from where the later one begins, with a step where either has one.
  package func merged<Other>(with other: Steps<Key, Other>) -> Steps<Key, (Value, Other)> {
    var key = Swift.max(starts[0], other.starts[0])
    var (one, two) = (index(at: key), other.index(at: key))
    var both = Steps<Key, (Value, Other)>([], [])
    while true {
      both.starts.append(key)
      both.values.append((values[one], other.values[two]))
      let (end, otherEnd) = (self[one].end, other[two].end)
      guard let next = [end, otherEnd].compactMap(\.self).min() else { return both }
      if end == next { one += 1 }
      if otherEnd == next { two += 1 }
      key = next
    }
  }

  /// The same with a step at each of some keys, too.
  package func cut(at keys: [Key]) -> Steps {
    var cuts = [starts[0]] + keys.filter { starts[0] < $0 }
    cuts.sortUniquely()
    return merged(with: Steps<Key, Void>(cuts, cuts.map { _ in })).mapped(\.0)
  }
}

extension Steps: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { starts.count }

  /// One step: from its key to that of the next.
  package subscript(index: Int) -> Span {
    Span(from: starts[index], end: index + 1 < starts.count ? starts[index + 1] : nil, value: values[index])
  }
}

extension Steps: Equatable where Value: Equatable {}
extension Steps: Hashable where Key: Hashable, Value: Hashable {}
extension Steps.Span: Equatable where Value: Equatable {}

extension Steps.Span where Key == VersionKey {
  package var hi: VersionKey { end ?? .end }
  package var first: Version { from.version ?? .zero }
  package var range: VersionRange { VersionRange(from: from, to: hi) ?? .all }
}
