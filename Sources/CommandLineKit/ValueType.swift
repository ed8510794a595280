/// How a word becomes a typed value.
package struct ValueType<Value>: Sendable {
  /// The allowed words, listed in help and errors; empty if any word that parses is allowed.
  package let allowed: [String]

  package let completion: Completion

  let path: PathUse?

  /// Whether a value is the name of a file or directory, for types that also take other words.
  let namesPath: @Sendable (String) -> Bool

  /// Throws `UsageError`, or any other error for no explanation; the word may be empty.
  package let parse: @Sendable (String) throws -> Value

  package init(
    allowed: [String] = [], completion: Completion = .none, path: PathUse? = nil,
    namesPath: @escaping @Sendable (String) -> Bool = { _ in true },
    parse: @escaping @Sendable (String) throws -> Value
  ) {
    (self.allowed, self.completion, self.path, self.namesPath, self.parse) = (
      allowed, completion, path, namesPath, parse
    )
  }

  /// The same type, with another completion.
  package func offering(_ completion: Completion) -> ValueType {
    ValueType(allowed: allowed, completion: completion, path: path, namesPath: namesPath, parse: parse)
  }

  /// The same type, whose values name files, or another use of them; `isOther` tells the words that name none.
  package func naming(
    _ path: PathUse, unless isOther: @escaping @Sendable (String) -> Bool = { _ in false }
  ) -> ValueType {
    ValueType(
      allowed: allowed, completion: completion == .directory ? .directory : .file, path: path,
      namesPath: { !isOther($0) }, parse: parse)
  }
}

extension ValueType where Value == String {
  package static var text: Self { Self { $0 } }

  package static var path: Self { anyPath.naming(.read) }

  /// A file that the command reads; `-` is standard input.
  package static var input: Self { anyPath.naming(.input) }

  /// The path of a directory; the command checks whether it exists.
  package static var directory: Self { pathType(completion: .directory).naming(.host) }

  /// A path with a use that only its command knows.
  package static var anyPath: Self { pathType(completion: .file) }

  private static func pathType(completion: Completion) -> Self {
    Self(completion: completion) { word in
      // An empty path would silently mean the current directory to some calls and an error to others.
      guard !word.isEmpty else {
        throw UsageError(id: UsageError.invalidValue, message: "a path cannot be empty")
      }
      if word == "-", completion == .directory {
        throw UsageError(
          id: UsageError.invalidValue, message: "not a directory",
          hint: "write './-' for a directory of that name")
      }
      return word
    }
  }
}

extension ValueType where Value == Int {
  /// A whole number in a range; a plus sign is refused, so that there is only one way to write a number.
  package static func integer(_ range: ClosedRange<Int>) -> Self {
    Self { word in
      guard word.utf8.first != UInt8(ascii: "+"), let number = Int(word), range.contains(number) else {
        let end = range.upperBound == .max ? "up" : "to \(range.upperBound)"
        throw UsageError(
          id: UsageError.invalidValue, message: "not a whole number from \(range.lowerBound) \(end)")
      }
      return number
    }
  }
}

extension ValueType {
  /// One of some words, each of which stands for a value.
  package static func one(
    ofWords words: [String], _ value: @escaping @Sendable (String) -> Value?
  ) -> Self {
    Self(allowed: words, completion: .values) { word in
      if let value = value(word) { return value }
      throw UsageError(
        id: UsageError.invalidValue, message: "not one of " + words.joined(separator: ", "),
        hint: closest(to: word, among: words).map { "did you mean '\($0)'?" })
    }
  }
}

extension ValueType where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
  package static var oneOf: Self { one(ofWords: Value.allCases.map(\.rawValue)) { Value(rawValue: $0) } }

  /// The same as `oneOf`, for places where the enumeration must be named.
  package static func one(of type: Value.Type) -> Self { oneOf }
}
