import Crypto
import ReleaseModel

/// A mail fit for a bug report: what identifies a person, a team or an app is replaced, the same by the same.
///
/// pawl reads it as it reads the original, but for the proof. Names of fields, tags of signatures, Date, parts with their
/// types, wording, states, versions and platforms stay. Texts are written as they are read, in UTF-8; an HTML text becomes
/// its lines and links.
package struct RedactedMail {
  package private(set) var bytes: [UInt8] = []
  private var redaction = Redaction()

  /// What stands where nothing may be told: malformed as a value of every field that is read, and as base64.
  private static let nothing = "[redacted]"

  /// - Parameter names: Names and SKUs of apps, besides those that the mail itself gives as such.
  package init(_ message: RawMessage, names: [String]) {
    redaction.learn(subject: straightened(message.header.text("subject") ?? ""))
    for part in (try? MIMEPart.parts(of: message)) ?? [] {
      guard let (text, isHTML) = part.text else { continue }
      for line in isHTML ? HTMLText(text).lines : textLines(text) {
        redaction.learn(line: straightened(line))
      }
    }
    for name in names { redaction.learn(straightened(name), as: "App") }
    bytes = entity(message.header, message.body, depth: 0)
  }

  /// - Parameter isDecoded: Whether its content can be read, and so needs no encoding here.
  private mutating func fields(_ header: Header, isDecoded: Bool) -> [UInt8] {
    var out: [UInt8] = []
    for field in header.fields {
      let isEncoding = field.key == "content-transfer-encoding"
      let isAsItWas = ["date", "mime-version"].contains(field.key) || isEncoding && !isDecoded
      let value = isEncoding ? "8bit" : value(field) ?? Self.nothing
      out += isAsItWas ? Array(field.raw) : Array("\(field.name): \(value)\r\n".utf8)
    }
    return out + [0x0D, 0x0A]
  }

  /// Nil for a field that nothing is told of, and for one that is malformed.
  private mutating func value(_ field: HeaderField) -> String? {
    switch field.key {
    case "subject": return redaction.text(EncodedWords.decode(field.value))
    case "from", "to", "cc", "reply-to", "sender", "return-path":
      // That a mail says it is Apple's may be in the name alone.
      let name =
        field.key == "from" && AppleSender.isClaimed(inFrom: field.rawValue) ? "\"App Store Connect\" " : ""
      return MailAddress.list(field.value).map { addresses in
        addresses.map { "\(name)<\(redaction.address($0.local, $0.domain, "person"))>" }
          .joined(separator: ", ")
      } ?? name + Self.nothing
    case "message-id":
      let sides = MessageID.read(field.value)?.split(separator: "@").map { String($0) } ?? []
      return sides.count == 2 ? "<\(redaction.address(sides[0], sides[1], "message"))>" : nil
    case "content-type":
      return ContentType(field.value).map { type in
        let boundary = type.boundary.map { "; boundary=\"\(String(decoding: $0, as: UTF8.self))\"" } ?? ""
        let charset = Charset(name: type.charset) == nil ? type.charset : "utf-8"
        return type.name + (type.isMultipart ? boundary : "; charset=\"\(charset)\"")
      }
    case "content-disposition":
      return lowercased(trimmed(field.value[...]).prefix { $0 != UInt8(ascii: ";") })
    case "dkim-signature": return TagList(Array(field.rawValue)).map { signature($0) }
    default: return nil
    }
  }

  /// The tags of RFC 6376 §3.5, without the hashes: by them, a guess at what the mail said could be tried.
  private mutating func signature(_ tags: TagList) -> String {
    let domain = redaction.domain(lowercased(tags["d"] ?? ""))
    return tags.names.map { name in
      let value =
        switch name {
        case "v", "a", "c", "h", "l", "q", "t", "x": tags[name]
        case "s": Redaction.isApple(domain) ? tags[name] : "selector"
        case "d": domain
        case "i": "@\(domain)"
        case "b", "bh": Base64.encode([UInt8](repeating: 0, count: name == "b" ? 256 : 32))
        default: Self.nothing
        }
      return "\(name)=\(value ?? "")"
    }.joined(separator: "; ")
  }

  private mutating func entity(_ header: Header, _ body: ArraySlice<UInt8>, depth: Int) -> [UInt8] {
    let nothing = Array(Self.nothing.utf8)
    let type = header.all("content-type").first.map { ContentType($0.value) } ?? .standard
    guard let type, type.isMultipart else {
      let part = type.flatMap { try? MIMEPart($0, header, body) }
      let head = fields(header, isDecoded: part != nil)
      guard let part, let (text, isHTML) = part.text, Charset(name: part.type.charset) != nil else {
        return head + nothing
      }
      // What a text is made of may be none of a mail: NUL, and a carriage return alone.
      let plain = String(text.withLineFeeds.unicodeScalars.filter { $0 != "\0" })
      return head + Array((isHTML ? html(HTMLText(plain)) : redaction.text(plain)).utf8)
    }
    let head = fields(header, isDecoded: false)
    guard depth < MIMEPart.maximumDepth, let boundary = type.boundary,
      let parts = try? Multipart.split(body, boundary: boundary, atMost: .max)
    else { return head + nothing }
    let line = Array("--".utf8) + boundary
    var out = head
    for part in parts {
      out += line + [0x0D, 0x0A]
      if let (header, start) = try? Header.read(part) {
        out += entity(header, part[start...], depth: depth + 1)
      } else {
        out += nothing
      }
      out += [0x0D, 0x0A]
    }
    return out + line + Array("--\r\n".utf8)
  }

  private mutating func html(_ html: HTMLText) -> String {
    func escaped(_ text: String) -> String {
      text.map { $0 == "&" ? "&amp;" : $0 == "<" ? "&lt;" : $0 == "\"" ? "&quot;" : String($0) }.joined()
    }
    return html.lines.map { "<p>\(escaped(redaction.text($0)))</p>\r\n" }.joined()
      + html.links.map { "<a href=\"\(escaped(redaction.text($0)))\"></a>\r\n" }.joined()
  }
}
