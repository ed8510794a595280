import Crypto
package import ReleaseModel

/// A provisioning profile, `embedded.mobileprovision` of a build: when it expires, the build stops opening.
///
/// It is a message of RFC 5652 that signs an XML property list.
package struct ProvisioningProfile: Sendable, Equatable {
  /// The most bytes of a profile that are read; Apple's have some ten thousand.
  package static let maximumSize = 1 << 20

  package let expires: Timestamp

  /// - Parameter file: What a refusal calls it.
  package init(_ bytes: [UInt8], file: String) throws(Refusal) {
    guard bytes.count <= ProvisioningProfile.maximumSize,
      let content = SignedContent.read(bytes, limit: ProvisioningProfile.maximumSize)
    else { throw Refusal("profile.not-signed", ["file": file]) }
    guard let expires = ProvisioningProfile.expiry(in: content) else {
      throw Refusal("profile.no-expiry", ["file": file])
    }
    self.expires = expires
  }

  /// The `ExpirationDate` of a property list; nil if it does not occur exactly once at the top level, or is
  /// not a date.
  ///
  /// In text, `<` is always escaped, so a key can be searched for as bytes if nothing is a comment or CDATA.
  static func expiry(in plist: [UInt8]) -> Timestamp? {
    let all = plist[...]
    let key = "<key>ExpirationDate</key>"
    guard places(of: "<!--", in: all).isEmpty, places(of: "<![CDATA[", in: all).isEmpty else { return nil }
    let found = places(of: key, in: all)
    guard found.count == 1, let place = found.first else { return nil }
    let above = plist[..<place]
    func depth(_ name: String) -> Int {
      places(of: "<\(name)>", in: above).count - places(of: "</\(name)>", in: above).count
    }
    guard depth("dict") == 1, depth("array") == 0 else { return nil }
    let rest = plist.dropFirst(place + key.utf8.count).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let opening = Array("<date>".utf8)
    guard rest.starts(with: opening) else { return nil }
    let date = rest.dropFirst(opening.count)
    let text = date.prefix { $0 != UInt8(ascii: "<") }
    guard text.count == 20, date.dropFirst(text.count).starts(with: Array("</date>".utf8)) else { return nil }
    return try? Timestamp(String(decoding: text, as: UTF8.self))
  }
}
