import CommandLineKit
import ReleaseModel

extension ValueType {
  /// A type that the model reads; its fault says what is wrong with a text, or it only says that something is.
  ///
  /// - Parameter meant: Guesses what was meant by a text that cannot be read; it is offered if it can.
  static func reading(
    _ key: String, _ values: [String: String] = [:], completion: Completion = .none,
    meant: @escaping @Sendable (String) -> String? = { _ in nil },
    _ read: @escaping @Sendable (String) throws -> Value?
  ) -> Self {
    ValueType(completion: completion) { text in
      func hint() -> String? {
        didYouMean(meant(text).flatMap { guess in guess != text && (try? read(guess)) != nil ? guess : nil })
      }
      do {
        if let value = try read(text) { return value }
      } catch let fault as TextFault {
        throw UsageError(key, values.merging(["reason": fault.reason]) { $1 }, hint: hint())
      }
      throw UsageError(key, values, hint: hint())
    }
  }
}

extension Int64 {
  init?(digits text: String) {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(text)
  }
}

extension ValueType where Value == Version {
  /// A client's version: one to four components.
  static var version: Self {
    // The tags of a repository often start with a letter, which versions do not have.
    reading(
      "version.malformed/value", completion: .live(.version),
      meant: { String($0.drop { $0 == "v" || $0 == "V" }) }
    ) { try Version($0) }
  }

  /// The version of a system: one to three components.
  static var system: Self { reading("version.malformed/system") { try Version(system: $0) } }
}

extension ValueType where Value == Build {
  static var build: Self { reading("build.malformed/value") { try Build($0) } }
}

extension ValueType where Value == TimeSpan {
  static var span: Self {
    reading("time.malformed/span") { text in
      try TimeSpan.checkLength(of: text)
      return TimeSpan(text)
    }
  }
}

extension TimeSpan {
  /// Refuses a text that is written like a duration but is too long for one.
  static func checkLength(of text: String) throws(UsageError) {
    let count = text.utf8.dropLast()
    guard let unit = text.last, "smhdw".contains(unit), !count.isEmpty,
      count.allSatisfy({ (0x30...0x39).contains($0) }), TimeSpan(text) == nil
    else { return }
    throw UsageError("time.malformed/long", ["most": TimeSpan(seconds: .max).text])
  }
}

extension ValueType where Value == SegmentPolicy {
  static var policy: Self {
    reading("policy.malformed") { SegmentPolicy($0) }
  }
}

extension ValueType where Value == Note {
  static var note: Self {
    ValueType { text throws(UsageError) in
      // By bytes, because a combining mark after the sign would form one character with it.
      guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        throw UsageError("note.malformed")
      }
      let locale = String(text[..<equals])
      guard Release.isLocale(locale) else {
        throw UsageError("note.malformed/locale", ["locale": locale])
      }
      return Note(locale: locale, text: String(text[text.utf8.index(after: equals)...]))
    }
  }
}

extension ValueType where Value == String {
  static var slug: Self {
    reading("app.slug-malformed", completion: .live(.app), meant: { $0.lowercased() }) {
      App.isSlug($0) ? $0 : nil
    }
  }

  static var receiver: Self { reading("deliver.name-malformed") { App.isSlug($0) ? $0 : nil } }

  static var mirror: Self { reading("mirror.name-malformed") { App.isSlug($0) ? $0 : nil } }

  static var bundleID: Self { reading("app.bundle-id-malformed") { App.isBundleID($0) ? $0 : nil } }

  static var host: Self {
    ValueType { text throws(UsageError) in
      let host = text.lowercased()
      guard StoreURL.isHost(host) else {
        throw UsageError(
          host.utf8.allSatisfy { $0 < 0x80 } ? "url.host-malformed" : "url.host-malformed/ascii")
      }
      return host
    }
  }

  static var locale: Self { reading("locale.malformed") { Release.isLocale($0) ? $0 : nil } }

}
