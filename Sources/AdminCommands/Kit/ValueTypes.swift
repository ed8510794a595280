import CommandLineKit
import ReleaseModel

extension ValueType {
  /// A type that the model reads; its fault says what is wrong with a text, or it only says that something is.
  static func reading(
    _ key: String, _ values: [String: String] = [:], _ read: @escaping @Sendable (String) throws -> Value?
  ) -> Self {
    ValueType { text in
      do {
        if let value = try read(text) { return value }
      } catch let fault as TextFault {
        throw UsageError(key, ["reason": fault.reason])
      }
      throw UsageError(key, values)
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
    ValueType(completion: .live(.version)) { text throws(UsageError) in
      do throws(TextFault) {
        return try Version(text)
      } catch {
        // The tags of a repository often start with a letter, which versions do not have.
        let bare = String(text.drop { $0 == "v" || $0 == "V" })
        let isTag = bare != text && (try? Version(bare)) != nil
        throw UsageError(
          "version.malformed/value", ["reason": error.reason], hint: didYouMean(isTag ? bare : nil))
      }
    }
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
    ValueType(completion: .live(.app)) { text throws(UsageError) in
      guard App.isSlug(text) else {
        let lower = text.lowercased()
        throw UsageError("app.slug-malformed", hint: didYouMean(App.isSlug(lower) ? lower : nil))
      }
      return text
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
