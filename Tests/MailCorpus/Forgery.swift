package struct Forgery: Sendable, CustomStringConvertible {
  package enum ServerWord: Sendable {
    /// A signature of Apple's holds as far as RFC 6376 goes, and From, as the server reads it, is Apple's.
    case apple
    case other(String)
    case none
    case silent
  }

  package let name: String
  package let bytes: [UInt8]
  package let server: ServerWord
  /// How the signature path refuses it; the start of the proof's or the notice's id, nil where any refusal will do.
  package let why: String?

  package var description: String { name }

  package var received: [UInt8] {
    let (dkim, dmarc): (String, String) =
      switch server {
      case .apple: ("pass header.i=@email.apple.com header.b=sTj3NmwF", "pass")
      case .other(let domain): ("pass header.d=\(domain) header.i=@\(domain)", "fail")
      case .none: ("fail (no signature that holds) header.d=email.apple.com", "fail")
      case .silent: ("", "")
      }
    guard !dkim.isEmpty else { return bytes }
    let head =
      "Received: from x.example.net (x.example.net. [192.0.2.1]) by \(World.server) with ESMTPS; "
      + "Fri, 20 Nov 2026 11:11:22 +0000\r\nAuthentication-Results: \(World.server); dkim=\(dkim);\r\n"
      + "\tdmarc=\(dmarc) header.from=email.apple.com\r\n"
    return Array(head.utf8) + bytes
  }
}

extension Letter {
  package static func nested(_ depth: Int) -> Body {
    var text = "Content-Type: text/plain\n\n\(rows())"
    for level in 1..<depth {
      text = "Content-Type: multipart/mixed; boundary=b\(level)x\n\n--b\(level)x\n\(text)\n--b\(level)x--"
    }
    return .raw(type: "multipart/mixed; boundary=b0x", encoding: nil, bytes: "--b0x\n\(text)\n--b0x--\n")
  }
}
