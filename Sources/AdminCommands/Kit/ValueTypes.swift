import CommandLineKit
import ReleaseModel

protocol TextFault: Error {
  /// What is wrong, worded to follow a colon.
  var reason: String { get }
}

extension VersionFault: TextFault {
  var reason: String {
    switch self {
    case .empty: "it is empty"
    case .emptyComponent: "a component is empty"
    case .leadingZero: "a component has leading zeros"
    case .notANumber(let character): "'\(printable(String(character)))' is not a digit"
    case .tooLong: "a component has more than nine digits"
    case .tooManyComponents(let allowed): "more than \(allowed) components"
    }
  }
}

extension TimestampFault: TextFault {
  var reason: String {
    switch self {
    case .malformed: "not a time such as 2026-12-01T09:00:00Z"
    case .noZone: "it has no time zone"
    case .noSuchTime: "there is no such day or hour"
    }
  }
}

extension RangeFault: TextFault {
  var reason: String {
    switch self {
    case .empty: "it is empty"
    case .version(let text, let fault): "'\(printable(text, limit: 40))' is not a version: \(fault.reason)"
    case .nothingInside: "it contains no versions"
    }
  }
}

private let versionHint = "write up to four numbers separated by points, such as 7.4.1"

extension ValueType {
  /// A type that the model reads; the model's fault says what is wrong with a text.
  static func reading(
    id: String, hint: String, _ completion: Completion = .none,
    _ read: @escaping @Sendable (String) throws -> Value
  ) -> Self {
    ValueType(completion: completion) { text in
      do {
        return try read(text)
      } catch let fault as any TextFault {
        throw ValueError(fault.reason, hint: hint, id: id)
      }
    }
  }

  /// A type for which the model only says whether a text is valid.
  static func reading(
    id: String, _ message: String, hint: String, _ read: @escaping @Sendable (String) -> Value?
  ) -> Self {
    ValueType { text throws(ValueError) in
      guard let value = read(text) else { throw ValueError(message, hint: hint, id: id) }
      return value
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
    ValueType(completion: .live(.version)) { text throws(ValueError) in
      do throws(VersionFault) {
        return try Version(text)
      } catch {
        // The tags of a repository often start with a letter, which versions do not have.
        let bare = String(text.drop { $0 == "v" || $0 == "V" })
        let isTag = bare != text && (try? Version(bare)) != nil
        throw ValueError(
          error.reason, hint: isTag ? "did you mean '\(bare)'?" : versionHint, id: "version.malformed")
      }
    }
  }

  /// A build or the version of a system: one to three components.
  static var shortVersion: Self {
    reading(
      id: "version.malformed",
      hint: "write up to three numbers of at most nine digits, such as 17.4 or 2026.1122.1"
    ) {
      try Version($0, components: 3)
    }
  }
}

extension ValueType where Value == TimeSpan {
  static var span: Self {
    ValueType { text throws(ValueError) in
      if let span = TimeSpan(text) { return span }
      try TimeSpan.checkLength(of: text)
      throw ValueError("not a duration", hint: "write 30s, 90m, 24h, 7d or 0", id: "time.malformed")
    }
  }
}

extension TimeSpan {
  /// Refuses a text that is written like a duration but is too long for one.
  static func checkLength(of text: String) throws(ValueError) {
    let count = text.utf8.dropLast()
    guard let unit = text.last, "smhdw".contains(unit), !count.isEmpty,
      count.allSatisfy({ (0x30...0x39).contains($0) }), TimeSpan(text) == nil
    else { return }
    throw ValueError(
      "the duration is too long", hint: "the longest is \(TimeSpan(seconds: .max).text)", id: "time.malformed"
    )
  }
}

extension ValueType where Value == SegmentPolicy {
  static var policy: Self {
    reading(
      id: "policy.malformed", "not a comma-separated list of one to four of force, remind and none",
      hint: "the default is force,remind,none"
    ) { SegmentPolicy($0) }
  }
}

extension ValueType where Value == Note {
  static var note: Self {
    ValueType { text throws(ValueError) in
      // By bytes, because a combining mark after the sign would form one character with it.
      guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        throw ValueError(
          "it has no '='", hint: "write LOCALE=TEXT, such as en=\"Faster start\"", id: "note.malformed")
      }
      let locale = String(text[..<equals])
      guard Release.isLocale(locale) else {
        throw ValueError(
          "'\(printable(locale, limit: 40))' is not a language tag",
          hint: "a language has two or three letters (BCP 47), such as en, de-DE or zh-Hans",
          id: "note.malformed")
      }
      return Note(locale: locale, text: String(text[text.utf8.index(after: equals)...]))
    }
  }
}

extension ValueType where Value == String {
  static var slug: Self {
    ValueType(completion: .live(.app)) { text throws(ValueError) in
      guard App.isSlug(text) else {
        throw ValueError(
          "a slug has at most 63 lower-case letters, digits and hyphens",
          hint: App.isSlug(text.lowercased())
            ? "did you mean '\(text.lowercased())'?" : "such as taxi or taxi-enterprise",
          id: "app.slug-malformed")
      }
      return text
    }
  }

  static var receiver: Self {
    companion(id: "deliver.name-malformed", "a receiver's name", hint: "such as chat or hooks")
  }

  static var mirror: Self {
    companion(id: "mirror.name-malformed", "a mirror's name", hint: "such as app or login")
  }

  /// A name that is part of the names of files beside the ledger, so it is written like a slug.
  private static func companion(id: String, _ what: String, hint: String) -> Self {
    reading(id: id, "\(what) has at most 63 lower-case letters, digits and hyphens", hint: hint) {
      App.isSlug($0) ? $0 : nil
    }
  }

  static var bundleID: Self {
    reading(
      id: "app.bundle-id-malformed", "a bundle id has letters, digits, hyphens and points",
      hint: "such as com.example.taxi"
    ) { App.isBundleID($0) ? $0 : nil }
  }

  static var host: Self {
    ValueType { text throws(ValueError) in
      let host = text.lowercased()
      guard StoreURL.isHost(host) else {
        throw ValueError(
          "not a host name",
          hint: host.utf8.allSatisfy { $0 < 0x80 }
            ? "write the name alone, such as downloads.example.com"
            : "write it in punycode, such as xn--e1afmkfd.example.com", id: "url.host-malformed")
      }
      return host
    }
  }

  static var locale: Self {
    reading(id: "locale.malformed", "not a language tag", hint: "such as en, de-DE or zh-Hans") {
      Release.isLocale($0) ? $0 : nil
    }
  }
}
