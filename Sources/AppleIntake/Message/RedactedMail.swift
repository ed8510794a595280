import Crypto
import ReleaseModel

/// A mail fit for a bug report: what identifies a person, a team or an app is replaced, the same by the same.
///
/// pawl reads it as it reads the original, but for the proof. Names of fields, tags of signatures, Date, parts with their
/// types and encodings, wording, states, versions and platforms stay. An HTML text becomes its lines and links.
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
    bytes = fields(message.header) + body(message.header, message.body, depth: 0)
  }

  private mutating func fields(_ header: Header) -> [UInt8] {
    var out: [UInt8] = []
    for field in header.fields {
      let isAsItWas = ["date", "mime-version", "content-transfer-encoding"].contains(field.key)
      out += isAsItWas ? Array(field.raw) : Array("\(field.name): \(value(field) ?? Self.nothing)\r\n".utf8)
    }
    return out + [0x0D, 0x0A]
  }

  /// Nil for a field that nothing is told of, and for one that is malformed.
  private mutating func value(_ field: HeaderField) -> String? {
    switch field.key {
    case "subject":
      let text = redaction.text(EncodedWords.decode(field.value))
      return text.utf8.allSatisfy { $0 < 0x80 } ? text : "=?utf-8?B?\(Base64.encode(Array(text.utf8)))?="
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
        return type.name + (type.isMultipart ? boundary : "; charset=\"\(type.charset)\"")
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

  private mutating func body(_ header: Header, _ body: ArraySlice<UInt8>, depth: Int) -> [UInt8] {
    let nothing = Array(Self.nothing.utf8)
    let type = header.all("content-type").first.map { ContentType($0.value) } ?? .standard
    guard let type, depth <= MIMEPart.maximumDepth else { return nothing }
    guard type.isMultipart else {
      guard let part = try? MIMEPart(type, header, body) else { return nothing }
      guard let (text, isHTML) = part.text, let charset = Charset(name: type.charset) else {
        return part.encoded(nothing)
      }
      return part.encoded(charset.encode(isHTML ? html(HTMLText(text)) : redaction.text(text)))
    }
    guard let boundary = type.boundary,
      let parts = try? Multipart.split(body, boundary: boundary, atMost: .max)
    else { return nothing }
    let line = Array("--".utf8) + boundary
    var out: [UInt8] = []
    for part in parts {
      out += line + [0x0D, 0x0A]
      if let (header, start) = try? Header.read(part) {
        out += fields(header) + self.body(header, part[start...], depth: depth + 1)
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
