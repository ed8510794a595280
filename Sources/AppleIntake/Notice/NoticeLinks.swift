import Crypto
import ReleaseModel

struct NoticeLinks: Equatable {
  private(set) var appleIDs: Set<Int64> = []
  private(set) var submissionIDs: Set<String> = []
  private(set) var platforms: Set<ApplePlatform> = []

  private static let hosts = ["appstoreconnect.apple.com", "itunesconnect.apple.com"]

  /// Reads a link; one to any other host tells nothing.
  mutating func read(_ link: String) {
    var words = Wording(link)
    guard words.takePrefix("https://") || words.takePrefix("http://") else { return }
    let rest = Array(words.text.utf8)
    let end = rest.firstIndex {
      $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
    }
    guard let end, NoticeLinks.hosts.contains(lowercased(rest[..<end])) else { return }
    let path = unescaped(rest[end...], "%")
    for mark in ["/apps/", "/app/", "adamid="] {
      for start in NoticeLinks.places(of: mark, in: path) {
        let digits = path[start...].prefix(16).prefix { isDigit($0) }
        guard (1...15).contains(digits.count) else { continue }
        let next = start + digits.count
        guard
          next == path.count || !HeaderScanner.isAtomText(path[next]) || path[next] == UInt8(ascii: "/")
            || path[next] == UInt8(ascii: "&") || path[next] == UInt8(ascii: "?")
            || path[next] == UInt8(ascii: "#")
        else { continue }
        appleIDs.insert(digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) })
      }
    }
    for start in NoticeLinks.places(of: "/reviewsubmissions/details/", in: path) {
      let id = path[start...].prefix { hexadecimalDigit($0) != nil || $0 == UInt8(ascii: "-") }
      submissionIDs.insert(lowercased(id))
    }
    for (name, platform) in AppleVocabulary.parenthesized
    where !NoticeLinks.places(of: "/platform/\(lowercased(name))/", in: path).isEmpty {
      platforms.insert(platform)
    }
  }

  private static func places(of mark: String, in path: [UInt8]) -> [Int] {
    let mark = Array(mark.utf8)
    guard path.count >= mark.count else { return [] }
    return (0...(path.count - mark.count)).filter { start in
      zip(path[start...], mark).allSatisfy { lowercased($0) == $1 }
    }.map { $0 + mark.count }
  }

  static func addresses(in text: String) -> [String] {
    text.utf8.split {
      $0 <= 0x20 || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "\"")
    }
    .filter { $0.starts(with: "http".utf8) || $0.starts(with: "(http".utf8) }
    .map { String(decoding: $0.first == UInt8(ascii: "(") ? $0.dropFirst() : $0, as: UTF8.self) }
  }
}
