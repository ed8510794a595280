import CommandLineKit
import Platform
import ReleaseModel

/// A ledger on another host: `ssh://[USER@]HOST[:PORT][/PATH]`.
package struct SSHAddress: Sendable, Equatable {
  package let user: String?
  /// A name, an alias from ssh's configuration, or an IP address without its brackets.
  package let host: String
  package let port: Int?
  /// The ledger's file on that host, relative to the home folder if the path begins with `/~/`; nil lets the
  /// host choose.
  package let path: String?

  /// Whether the name of a ledger is such an address; schemes are case-insensitive (RFC 3986, 3.1).
  package static func isMeant(by ledger: String) -> Bool {
    String(decoding: ledger.utf8.prefix(6), as: UTF8.self).lowercased() == "ssh://"
  }

  /// Parses a URL.
  ///
  /// - Throws: `CommandFailure` for what ssh could take for something else, and for what has no meaning here.
  package init(_ url: String) throws {
    func refused(_ reason: String) -> CommandFailure {
      CommandFailure("ssh.malformed", ["url": url, "reason": reason])
    }
    guard SSHAddress.isMeant(by: url) else { throw refused("it is not an ssh URL") }
    let rest = url.utf8.dropFirst(6)
    guard rest.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw refused("it holds a blank or a control character")
    }
    guard !rest.contains(where: { "?#".utf8.contains($0) }) else {
      throw refused("'?' and '#' have no meaning there; write %3F and %23")
    }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") }
    var place = String(decoding: authority, as: UTF8.self)

    if let at = place.lastIndex(of: "@") {
      let name = String(place[..<at])
      guard !name.contains(":") else { throw refused("it must not contain a password") }
      guard SSHAddress.isName(name) else { throw refused("its user name is not valid") }
      user = name
      place = String(place[place.index(after: at)...])
    } else {
      user = nil
    }

    let number: String?
    if place.hasPrefix("[") {
      guard let end = place.firstIndex(of: "]") else { throw refused("a bracket is not closed") }
      host = String(place[place.index(after: place.startIndex)..<end])
      guard host.contains(":"), host.utf8.allSatisfy(SSHAddress.isAddressByte) else {
        throw refused("its brackets do not contain an address")
      }
      let after = place[place.index(after: end)...]
      guard after.isEmpty || after.hasPrefix(":") else {
        throw refused("its bracket is not followed by a port")
      }
      number = after.isEmpty ? nil : String(after.dropFirst())
    } else {
      let parts = place.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      host = parts[0]
      guard SSHAddress.isName(host) else {
        throw refused(host.isEmpty ? "it has no host" : "its host name is not valid")
      }
      number = parts.count > 1 ? parts[1] : nil
    }
    if let number {
      guard let value = Int64(digits: number), (1...65_535).contains(value) else {
        throw refused("its port is not a number from 1 to 65535")
      }
      port = Int(value)
    } else {
      port = nil
    }

    guard let decoded = SSHAddress.decoded(rest.dropFirst(authority.count)) else {
      throw refused("its path is not percent-encoded UTF-8 without control characters")
    }
    let isOfHome = decoded.utf8.starts(with: "/~/".utf8)
    let relative = isOfHome ? String(decoding: decoded.utf8.dropFirst(3), as: UTF8.self) : decoded
    path = relative.isEmpty || relative == "/" ? nil : relative
  }

  /// Whether a text can only be the name of a user or a host: ssh takes a leading hyphen for an option.
  private static func isName(_ text: String) -> Bool {
    !text.hasPrefix("-") && text.isWord(of: 1...Int.max, marks: "._-")
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool { "0123456789abcdefABCDEF:.".utf8.contains(byte) }

  /// Decodes the percent escapes of a path; nil if one is malformed, or yields invalid UTF-8, and for a path with a control
  /// character.
  private static func decoded(_ path: Substring.UTF8View.SubSequence) -> String? {
    percentDecoded(path).flatMap { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? $0 : nil }
  }
}
