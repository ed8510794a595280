/// A JSON value, with the members of an object kept in the order of their keys' bytes.
///
/// Numbers are integers where they can be: the ledger stores no fractions. Source of the grammar: RFC 8259.
package enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object(Object)
}

extension JSON {
  /// The members of a JSON object, sorted by the bytes of their keys, each key once.
  package struct Object: Sendable, Equatable {
    /// One key and its value.
    package struct Member: Sendable, Equatable {
      package let key: String
      package var value: JSON

      package static func == (left: Member, right: Member) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
      }
    }

    package private(set) var members: [Member]

    /// Makes an object from members in any order; of equal keys the last one counts.
    package init(_ pairs: [(String, JSON)] = []) {
      members = []
      members.reserveCapacity(pairs.count)
      // Inserting many members one by one in any order would move the others each time. Sorting keeps equal
      // keys in order.
      let pairs =
        pairs.count > 64 ? pairs.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) } : pairs
      for (key, value) in pairs { self[key] = value }
    }

    /// The value of a key; setting nil removes the member.
    package subscript(key: String) -> JSON? {
      get {
        let (index, found) = position(of: key)
        return found ? members[index].value : nil
      }
      set {
        let (index, found) = position(of: key)
        switch (found, newValue) {
        case (true, .some(let value)): members[index].value = value
        case (true, .none): members.remove(at: index)
        case (false, .some(let value)): members.insert(Member(key: key, value: value), at: index)
        case (false, .none): break
        }
      }
    }

    private func position(of key: String) -> (index: Int, found: Bool) {
      // Members mostly arrive in order, so look at the end first.
      if let last = members.last, JSON.precedes(last.key, key) {
        return (members.count, false)
      }
      var low = 0
      var high = members.count
      while low < high {
        let middle = low + (high - low) / 2
        if JSON.precedes(members[middle].key, key) {
          low = middle + 1
        } else {
          high = middle
        }
      }
      return (low, low < members.count && !JSON.precedes(key, members[low].key))
    }
  }

  /// Whether a key comes before another, by their bytes; those of native strings are looked at where they are.
  private static func precedes(_ key: String, _ other: String) -> Bool {
    let isBefore = key.utf8.withContiguousStorageIfAvailable { one in
      other.utf8.withContiguousStorageIfAvailable { other in
        var index = 0
        while index < one.count, index < other.count, one[index] == other[index] { index += 1 }
        return index < other.count && (index == one.count || one[index] < other[index])
      }
    }
    return (isBefore ?? nil) ?? key.utf8.lexicographicallyPrecedes(other.utf8)
  }

  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  package var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  package var array: [JSON]? {
    if case .array(let value) = self { value } else { nil }
  }

  package var object: Object? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The value of a key, if this is an object that has it.
  package subscript(key: String) -> JSON? { object?[key] }

  /// The object with further members, which replace those of the same name; unchanged if this is no object.
  package func adding(_ members: JSON) -> JSON {
    guard var object else { return self }
    for member in members.object?.members ?? [] { object[member.key] = member.value }
    return .object(object)
  }

  /// A string, or null for nil.
  package static func optional(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }

  /// An integer, or null for nil.
  package static func optional(_ value: Int64?) -> JSON { value.map(JSON.integer) ?? .null }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Object(elements)) }
}

extension JSON: Equatable {
  /// Whether both are equal; strings are compared by their bytes, so two spellings of one character differ.
  package static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    case (.null, _), (.bool, _), (.integer, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }
}
