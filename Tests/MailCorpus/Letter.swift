package import Crypto
import ReleaseModel

/// A mail in the making, as Apple's servers make them unless told otherwise.
package struct Letter {
  package enum Body {
    case alternative(plain: String, html: String)
    case plain(String)
    case html(String)
    case raw(type: String, encoding: String?, bytes: String)
  }

  package var from = #""\"App Store Connect\"" <no_reply@email.apple.com>"#
  package var to = "release@example.com"
  package var subject = #"The status of your (iOS) app, Taxi, is now "Ready for Distribution""#
  package var date = "Fri, 20 Nov 2026 11:11:21 +0000 (GMT)"
  package var messageID = "<694019457.7562904.1795173081184@email.apple.com>"
  package var body = Body.alternative(plain: Letter.rows(), html: Letter.table())
  package var others = ["MIME-Version: 1.0", "X-Attach-Flag: N", "X-EmailType-Id: 10631"]

  package init() {}

  package static let boundary = "----=_Part_7562902_316595892.1795173081183"

  package static func rows(
    sentence: String = "The following app is ready for distribution:", name: String = "Taxi",
    version: String = "7.3.0", appleID: String = "1234567890", platform: String = "Platform: iOS"
  ) -> String {
    """
    Hello,

    \(sentence)

    App Name: \(name)
    App Version Number: \(version)
    \(platform)
    App SKU: TAXI-1
    App Apple ID: \(appleID)

    Best regards,
    The App Store team
    """
  }

  package static func table(
    sentence: String = "The following app is ready for distribution:", name: String = "Taxi",
    version: String = "7.3.0", appleID: String = "1234567890", platform: String = "Platform: iOS"
  ) -> String {
    """
    <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
    <html><head><title>App Store Connect</title>
    <meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1" />
    <style type="text/css"> A { text-decoration: none; } P > B { color: #666 } </style></head>
    <body><table width="700"><tr><td>Hello,<p>\(sentence)</p>
    <table id="details"><tr><td>App Name: \(name)</td></tr>
    <tr><td>App Version Number: \(version)</td></tr>
    <tr><td>\(platform)</td></tr><tr><td>App SKU: TAXI-1</td></tr>
    <tr><td>App Apple ID:\(appleID)</td></tr></table>
    <p>Best regards,<br/>The App Store team</p></td></tr></table></body></html>
    """
  }

  /// The letter without a signature: header fields from the top, and the body with CRLF line ends.
  package func unsigned() -> (fields: [String], body: [UInt8]) {
    var fields = [
      "Date: \(date)", "From: \(from)", "To: \(to)", "Message-ID: \(messageID)", "Subject: \(subject)",
    ]
    fields += others
    let text: String
    switch body {
    case .alternative(let plain, let html):
      fields.append("Content-Type: multipart/alternative;\r\n\tboundary=\"\(Letter.boundary)\"")
      text = """
        --\(Letter.boundary)
        Content-Type: text/plain; charset=UTF-8
        Content-Transfer-Encoding: QUOTED-PRINTABLE
        Content-Disposition: inline

        \(Letter.quotedPrintable(plain))
        --\(Letter.boundary)
        Content-Type: text/html; charset=UTF-8
        Content-Transfer-Encoding: QUOTED-PRINTABLE
        Content-Disposition: inline

        \(Letter.quotedPrintable(html))
        --\(Letter.boundary)--

        """
    case .plain(let plain):
      fields.append("Content-Type: text/plain; charset=UTF-8")
      fields.append("Content-Transfer-Encoding: QUOTED-PRINTABLE")
      text = Letter.quotedPrintable(plain) + "\n"
    case .html(let html):
      fields.append("Content-Type: text/html; charset=UTF-8")
      fields.append("Content-Transfer-Encoding: QUOTED-PRINTABLE")
      text = Letter.quotedPrintable(html) + "\n"
    case .raw(let type, let encoding, let bytes):
      fields.append("Content-Type: \(type)")
      if let encoding { fields.append("Content-Transfer-Encoding: \(encoding)") }
      text = bytes
    }
    return (fields, Letter.withCRLF(text))
  }

  package static func withCRLF(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in text.utf8 where byte != 0x0D {
      if byte == 0x0A { bytes.append(0x0D) }
      bytes.append(byte)
    }
    return bytes
  }

  package static func quotedPrintable(_ text: String) -> String {
    var out = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var width = 0
      for byte in line.utf8 {
        let isPlain = byte != UInt8(ascii: "=") && byte >= 0x20 && byte < 0x7F
        let piece = isPlain ? String(Unicode.Scalar(byte)) : "=" + hexadecimalText([byte]).uppercased()
        if width + piece.utf8.count > 75 {
          out += "=\n"
          width = 0
        }
        out += piece
        width += piece.utf8.count
      }
      out += "\n"
    }
    return String(out.dropLast())
  }
}

package struct Signer: Sendable {
  package enum Key: Sendable {
    case rsa(RSASigner)
    case ed25519(SigningKey)
  }

  package var key: Key
  package var domain = "email.apple.com"
  package var selector = "email0517"
  /// The names as Apple signs them.
  package var signed = "Date:From:To:Message-ID:Subject:Content-Type"
  package var form = "relaxed/relaxed"
  package var time = "t=1795173081; "
  package var extra = ""
  /// How many bytes of the body the hash is over; all where nil.
  package var length: Int?

  package func sign(_ letter: Letter) -> Mail {
    let (fields, body) = letter.unsigned()
    return sign(fields: fields, body: body)
  }

  package func sign(fields: [String], body: [UInt8]) -> Mail {
    let forms = form.split(separator: "/").map(String.init)
    var canonical = forms[1] == "relaxed" ? Reference.relaxedBody(body) : Reference.simpleBody(body)
    var lengthTag = ""
    if let length {
      canonical = Array(canonical.prefix(length))
      lengthTag = "l=\(length); "
    }
    let algorithm = if case .rsa = key { "rsa-sha256" } else { "ed25519-sha256" }
    let hash = Base64.encode(SHA256.digest(of: canonical))
    let start =
      "DKIM-Signature: v=1; a=\(algorithm); c=\(form); d=\(domain);\r\n\ts=\(selector); \(time)\(lengthTag)\(extra)\r\n\t"
      + "bh=\(hash);\r\n\th=\(signed);\r\n\tb="
    var waiting = fields
    var input = ""
    for name in signed.split(separator: ":") {
      let prefix = name.lowercased() + ":"
      guard let index = waiting.lastIndex(where: { $0.lowercased().hasPrefix(prefix) }) else { continue }
      let field = waiting.remove(at: index)
      input += (forms[0] == "relaxed" ? Reference.relaxedHeader(field) : field) + "\r\n"
    }
    input += forms[0] == "relaxed" ? Reference.relaxedHeader(start) : start
    let signature: [UInt8]
    switch key {
    case .rsa(let key): signature = key.sign(Array(input.utf8))
    case .ed25519(let key): signature = key.sign(SHA256.digest(of: Array(input.utf8))) ?? []
    }
    var text = Base64.encode(signature)
    var folded = ""
    while text.utf8.count > 66 {
      folded += text.prefix(66) + "\r\n\t "
      text = String(text.dropFirst(66))
    }
    return Mail(fields: [start + folded + text] + fields, body: body)
  }
}

/// The canonical forms of RFC 6376 §3.4, told once more and more simply, for signing and for comparing.
package enum Reference {
  package static func relaxedHeader(_ field: String) -> String {
    let bytes = Array(field.utf8).filter { $0 != 0x0D && $0 != 0x0A }
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    let words = bytes[min(colon + 1, bytes.count)...].split { $0 == 0x20 || $0 == 0x09 }
    return String(decoding: bytes[..<colon], as: UTF8.self).lowercased() + ":"
      + words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  package static func lines(_ body: [UInt8]) -> [[UInt8]] {
    var lines = body.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      Array(line.last == 0x0D ? line.dropLast() : line)
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  package static func simpleBody(_ body: [UInt8]) -> [UInt8] {
    let lines = lines(body)
    return lines.isEmpty ? [0x0D, 0x0A] : lines.flatMap { $0 + [0x0D, 0x0A] }
  }

  package static func relaxedBody(_ body: [UInt8]) -> [UInt8] {
    var lines = lines(body).map { line in
      let words = line.split(omittingEmptySubsequences: false) { $0 == 0x20 || $0 == 0x09 }
      var out: [UInt8] = []
      for (index, word) in words.enumerated() where !word.isEmpty {
        if index > 0 { out.append(0x20) }
        out += word
      }
      return out
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.flatMap { $0 + [0x0D, 0x0A] }
  }
}

package struct Mail {
  package var fields: [String]
  package var body: [UInt8]

  package init(fields: [String], body: [UInt8]) {
    self.fields = fields
    self.body = body
  }

  package var bytes: [UInt8] { Array(fields.map { $0 + "\r\n" }.joined().utf8) + [0x0D, 0x0A] + body }

  package func prepending(_ more: String...) -> Mail { Mail(fields: more + fields, body: body) }

  package func appending(_ more: String...) -> Mail { Mail(fields: fields + more, body: body) }

  package func replacing(_ old: String, with new: String) -> Mail {
    Mail(
      fields: fields.map {
        $0.split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
      },
      body: Array(
        String(decoding: body, as: UTF8.self).split(separator: old, omittingEmptySubsequences: false)
          .joined(separator: new).utf8))
  }
}
