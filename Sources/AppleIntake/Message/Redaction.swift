import Crypto
import ReleaseModel

/// Stand-ins for what identifies someone.
struct Redaction {
  /// Names as they were said, with straight quotes and single blanks; a longer one before its own beginning.
  private var names: [(said: [Unicode.Scalar], standIn: String)] = []
  private var standIns: [String: [String: Int]] = [:]

  private static let mostNames = 50

  static func isApple(_ domain: String) -> Bool { domain == "apple.com" || domain.hasSuffix(".apple.com") }

  /// The number of a thing among those of its kind.
  private mutating func number(of thing: String, _ kind: String) -> Int {
    let known = standIns[kind, default: [:]]
    let number = known[thing] ?? known.count + 1
    standIns[kind, default: [:]][thing] = number
    return number
  }

  // MARK: - Names

  /// Where subjects have an app's name: between these.
  private static let marks = [
    ("app, ", ", is now "), ("Regarding ", ""), (" for ", " has completed processing"), ("Your app \"", "\""),
  ]

  mutating func learn(subject: String) {
    if case .state(_, let name?, _) = NoticeSubject(subject) { learn(name, as: "App") }
    for (before, after) in Redaction.marks { learn(Redaction.between(before, after, subject), as: "App") }
  }

  mutating func learn(line: String) {
    if let (field, value) = NoticeFields.row(line), field == .appName || field == .sku {
      learn(value, as: field == .sku ? "SKU" : "App")
    }
    for (before, after) in [
      ("your app, ", ", has been approved"), ("your app, ", ", app Apple ID"),
      ("Your app ", " has been reviewed"),
    ] {
      learn(Redaction.between(before, after, line), as: "App")
    }
    for greeting in ["Dear ", "Hello ", "Hi "] where line.hasPrefix(greeting) {
      learn(Redaction.between(greeting, ",", line).flatMap { $0 == "User" ? nil : $0 }, as: "Person")
    }
  }

  private static func between(_ before: String, _ after: String, _ text: String) -> String? {
    guard let rest = text.rest(after: before) else { return nil }
    guard !after.isEmpty else { return String(rest) }
    return rest.rest(after: after).map { String(rest.dropLast($0.count + after.count)) }
  }

  mutating func learn(_ name: String?, as kind: String) {
    guard let name, name.utf8.count > 1, names.count < Redaction.mostNames else { return }
    let same = names.first { NoticeFacts.isSameName(String(String.UnicodeScalarView($0.said)), name) }
    let count = number(of: same?.standIn ?? name, kind)
    let standIn = same?.standIn ?? (count == 1 ? kind : "\(kind) \(count)")
    names.append((Array(name.unicodeScalars), standIn))
    names.sort { $0.said.count > $1.said.count }
  }

  // MARK: - Text

  mutating func text(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    let plain = scalars.map { looksBlank($0) ? " " : straightened($0) }
    var out = String.UnicodeScalarView()
    var index = 0
    scan: while index < scalars.count {
      for (said, standIn) in names {
        if let end = Redaction.end(of: said, in: plain, at: index) {
          out.append(contentsOf: standIn.unicodeScalars)
          index = end
          continue scan
        }
      }
      out.append(scalars[index])
      index += 1
    }
    return words(Array(String(out).utf8))
  }

  /// Where a name ends that begins at a place: as a word of its own, with any number of blanks for one.
  private static func end(of name: [Unicode.Scalar], in text: [Unicode.Scalar], at start: Int) -> Int? {
    func isPart(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
    var index = start
    for scalar in name {
      guard index < text.count, text[index] == scalar || text[index] == "\u{FFFD}" || scalar == "\u{FFFD}"
      else { return nil }
      index += 1
      while scalar == " ", index < text.count, text[index] == " " { index += 1 }
    }
    if start > 0, let first = name.first, isPart(first), isPart(text[start - 1]) { return nil }
    if index < text.count, let last = name.last, isPart(last), isPart(text[index]) { return nil }
    return index
  }

  private mutating func words(_ text: [UInt8]) -> String {
    var out: [UInt8] = []
    var rest = text[...]
    while let first = rest.first {
      let isWord = Redaction.isWord(first)
      let run = rest.prefix { Redaction.isWord($0) == isWord }
      out += isWord ? Array(word(String(decoding: run, as: UTF8.self)).utf8) : Array(run)
      rest = rest.dropFirst(run.count)
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func isWord(_ byte: UInt8) -> Bool { byte > 0x20 && !"<>\"()[]{},;".utf8.contains(byte) }

  private mutating func word(_ word: String) -> String {
    if word.hasPrefix("https://") || word.hasPrefix("http://") { return link(word) }
    guard let at = word.lastIndex(of: "@"), at != word.startIndex else {
      return identifiers(Array(word.utf8))
    }
    let domain = word[word.index(after: at)...].prefix {
      $0.isLetter || $0.isNumber || $0 == "." || $0 == "-"
    }
    guard domain.contains(".") else { return identifiers(Array(word.utf8)) }
    return address(String(word[..<at]), lowercased(String(domain)), "person")
  }

  /// An address of Apple's own mailers is everyone's.
  mutating func address(_ local: String, _ domain: String, _ kind: String) -> String {
    let isMailer = Redaction.isApple(domain) && ["no_reply", "noreply"].contains(lowercased(local))
    return "\(isMailer ? local : "\(kind)\(number(of: "\(local)@\(domain)", kind))")@\(self.domain(domain))"
  }

  mutating func domain(_ domain: String) -> String {
    Redaction.isApple(domain) ? domain : "domain\(number(of: domain, "domain")).example.com"
  }

  /// Only the links that ids are read from keep their path, if no word in it is longer than any of Apple's.
  private mutating func link(_ link: String) -> String {
    let rest = link.rest(after: "://") ?? ""
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard NoticeFields.hosts.contains(lowercased(String(host))) else {
      return "https://\(domain(lowercased(String(host))))/"
    }
    let text = identifiers(Array(rest.dropFirst(host.count).utf8))
    let parts = text.split(omittingEmptySubsequences: false) {
      !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_"
    }
    let long = parts.filter { $0.utf8.count > 24 && !$0.hasPrefix(Redaction.uuid) }
    return "https://\(host)" + (long.isEmpty ? text : "/")
  }

  private static let uuid = "00000000-0000-4000-8000-"

  /// Replaces UUIDs, and numbers of six digits or more that are no part of a version.
  private mutating func identifiers(_ text: [UInt8]) -> String {
    var out: [UInt8] = []
    var rest = text[...]
    while let first = rest.first {
      let id = rest.prefix(36)
      if id.count == 36, Redaction.isUUID(id) {
        let number = String(number(of: lowercased(id), "uuid"))
        out += Array((Redaction.uuid + String(repeating: "0", count: 12 - number.utf8.count) + number).utf8)
        rest = rest.dropFirst(36)
        continue
      }
      let digits = rest.prefix(while: isDigit)
      func isDot(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first == UInt8(ascii: ".") && bytes.dropFirst().first.map(isDigit) == true
      }
      let isVersion = isDot(out.reversed()) || isDot(rest.dropFirst(digits.count))
      if digits.count >= 6, !isVersion {
        let number = String(number(of: String(decoding: digits, as: UTF8.self), "number"))
        out += Array(
          ("1" + String(repeating: "0", count: max(0, digits.count - 1 - number.utf8.count)) + number).utf8)
      } else {
        out += digits.isEmpty ? [first] : Array(digits)
      }
      rest = rest.dropFirst(max(1, digits.count))
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
    text.enumerated().allSatisfy { offset, byte in
      [8, 13, 18, 23].contains(offset) ? byte == UInt8(ascii: "-") : hexadecimalDigit(byte) != nil
    }
  }
}
