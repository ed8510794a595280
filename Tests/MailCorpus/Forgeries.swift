import ReleaseModel

package enum Forgeries {
  package static let all: [Forgery] = World.shared.map { make($0) } ?? []

  private static let live = #"The status of your (iOS) app, Taxi, is now "Ready for Distribution""#

  private static func make(_ world: World) -> [Forgery] {
    let genuine = world.apple.sign(Letter())
    var list: [Forgery] = []
    func add(_ name: String, _ mail: Mail, _ server: Forgery.ServerWord = .apple, _ why: String? = nil) {
      list.append(Forgery(name: name, bytes: mail.bytes, server: server, why: why))
    }
    func raw(_ name: String, _ bytes: [UInt8], _ why: String, _ server: Forgery.ServerWord = .silent) {
      list.append(Forgery(name: name, bytes: bytes, server: server, why: why))
    }
    func sign(
      _ name: String, _ why: String? = nil, by signer: Signer? = nil, _ change: (inout Letter) -> Void
    ) {
      var letter = Letter()
      change(&letter)
      add(name, (signer ?? world.apple).sign(letter), .apple, why)
    }
    func sign(_ name: String, plain: String, html: String) {
      sign(name) { $0.body = .alternative(plain: plain, html: html) }
    }
    func sign(_ name: String, type: String, _ bytes: String) {
      sign(name) { $0.body = .raw(type: type, encoding: nil, bytes: bytes) }
    }
    func signer(_ base: Signer, _ change: (inout Signer) -> Void) -> Signer {
      var signer = base
      change(&signer)
      return signer
    }
    let (fields, body) = Letter().unsigned()

    // Unsigned.
    add("unsigned", Mail(fields: fields, body: body), .none, "signature.no-signature")
    add(
      "signature field empty", Mail(fields: ["DKIM-Signature: "] + fields, body: body), .none,
      "signature.malformed")
    add(
      "signed by a key nobody pinned", signer(world.apple) { $0.selector = "other" }.sign(Letter()), .none,
      "signature.unknown-selector")
    add(
      "signed by a stranger's key under Apple's selector",
      signer(world.apple) { $0.key = world.stranger.key }.sign(Letter()),
      .none, "signature.bad-signature")
    // Another domain signs.
    add(
      "signed by a stranger", world.stranger.sign(Letter()), .other("example.net"), "signature.wrong-domain")
    for domain in [
      "apple.com", "email.apple.com.example.net", "mail.email.apple.com", "emai1.apple.com",
      "email-apple.com",
    ] {
      add(
        "signed by \(domain)", signer(world.apple) { $0.domain = domain }.sign(Letter()), .other(domain),
        "signature.unknown-selector")
    }
    // Look-alike senders, honestly signed by their own domain.
    for address in [
      "no_reply@emai1.apple.com", "no_reply@email.apple.com.example.net", "no_reply@email.аpple.com",
      "no-reply@email.apple.com",
      "NO_REPLY@email.apple.com", "no_reply@apple.com", "\"no_reply\"@email.apple.com",
      "no_reply+x@email.apple.com",
      "testflight_no_reply@email.apple.com", "developer@email.apple.com", "no_reply@example.net",
    ] {
      sign("from \(address)") { $0.from = "App Store Connect <\(address)>" }
    }
    // Display-name tricks.
    for from in [
      #""no_reply@email.apple.com" <x@example.net>"#, "no_reply@email.apple.com <x@example.net>",
      "<x@example.net> <no_reply@email.apple.com>",
      #""App Store Connect <no_reply@email.apple.com>" <x@example.net>"#,
      "x@example.net (no_reply@email.apple.com)",
      "no_reply@email.apple.com, x@example.net", "x@example.net, no_reply@email.apple.com",
      "Apple: no_reply@email.apple.com;",
      "<@example.net:no_reply@email.apple.com>", "no_reply@email.apple.com\u{7F}",
      "\"a\\\" <no_reply@email.apple.com>", "",
    ] {
      sign("From: \(from)") { $0.from = from }
    }
    // Comments and encoded words within the address.
    for from in [
      "no_reply@email.apple.com(", "no_reply(x)@email.apple.com", "no_reply@(x)email.apple.com",
      "=?UTF-8?Q?no=5Freply?=@email.apple.com",
      "no_reply@=?UTF-8?Q?email=2Eapple=2Ecom?=", "=?UTF-8?Q?<no=5Freply@email.apple.com>?= <x@example.net>",
      "no_reply @email.apple.com",
      "no_reply@[17.111.110.101]",
    ] {
      sign("From: \(from)") { $0.from = from }
    }
    // A length tag and more body after it.
    let short = signer(world.apple) { $0.length = Letter().unsigned().body.count }.sign(Letter())
    add("l= over the whole body", short, .apple, "signature.length-tag")
    add(
      "l= and an appended text",
      Mail(fields: short.fields, body: short.body + Array("App Version Number: 9.9\r\n".utf8)), .apple,
      "signature.length-tag")
    add("l=0", signer(world.apple) { $0.length = 0 }.sign(Letter()), .apple, "signature.length-tag")
    // A field twice, above or below the signed one.
    let second = [
      "From: App Store Connect <no_reply@email.apple.com>", "From: x@example.net", "Subject: \(live)",
      "subject : x", "To: release@example.com",
      "To: other@example.com", "Date: Fri, 20 Nov 2026 12:00:00 +0000", "Message-ID: <a@email.apple.com>",
      "Content-Type: text/html",
      "CONTENT-TYPE: multipart/mixed; boundary=b", "MIME-Version: 2.0",
      "Content-Transfer-Encoding: base64\r\nContent-Transfer-Encoding: 8bit",
    ]
    for field in second {
      let name = field.prefix { $0 != ":" && $0 != " " }.lowercased()
      let why = field.contains(" :") ? "malformed-field" : "repeated-field.\(name)"
      add("prepended \(field)", genuine.prepending(field), .apple, why)
      add("appended \(field)", genuine.appending(field), .apple, why)
    }
    for name in ["Date", "From", "To", "Message-ID", "Subject", "Content-Type"] {
      add(
        "no \(name)", Mail(fields: genuine.fields.filter { !$0.hasPrefix("\(name):") }, body: genuine.body),
        .apple, "missing-field.\(name.lowercased())")
      let signed = ["Date", "From", "To", "Message-ID", "Subject", "Content-Type"].filter { $0 != name }
      if name != "From" {
        add(
          "\(name) not signed",
          signer(world.apple) { $0.signed = signed.joined(separator: ":") }.sign(Letter()), .apple,
          "signature.missing-signed-header")
      } else {
        add(
          "From not signed", signer(world.apple) { $0.signed = signed.joined(separator: ":") }.sign(Letter()),
          .apple, "signature")
      }
    }
    // The mail changed after it was signed.
    add("another version", genuine.replacing("7.3.0", with: "7.4.0"), .none, "signature.body-hash-mismatch")
    add(
      "another subject", genuine.replacing("is now \"Ready", with: "is then \"Ready"), .none,
      "signature.bad-signature")
    add(
      "truncated", Mail(fields: genuine.fields, body: Array(genuine.body.prefix(600))), .none,
      "signature.body-hash-mismatch")
    add("without a body", Mail(fields: genuine.fields, body: []), .none, "signature.body-hash-mismatch")
    raw("cut within the header", Array(genuine.bytes.prefix(500)), "missing-field")
    // Keys and times that do not count.
    add("key of 768 bits", world.weak.sign(Letter()), .none, "signature.key-too-short")
    for selector in ["revoked", "testing", "web", "sha1"] {
      add(
        "\(selector) key", signer(world.apple) { $0.selector = selector }.sign(Letter()), .none, "signature")
    }
    add(
      "Ed25519 key, RSA signature", signer(world.apple) { $0.selector = "modern" }.sign(Letter()), .none,
      "signature.key-not-for-this")
    add(
      "expired", signer(world.apple) { $0.extra = "x=1795173090; " }.sign(Letter()), .none,
      "signature.expired")
    add(
      "signed tomorrow", signer(world.apple) { $0.time = "t=1795260000; " }.sign(Letter()), .none,
      "signature.future-signature")
    // Signatures that are not of the grammar.
    for (old, new) in [
      ("v=1;", "v=2;"), ("v=1;", "v=1; v=1;"), ("a=rsa-sha256", "a=rsa-sha1"),
      ("c=relaxed/relaxed", "c=nofws"), ("d=email.apple.com", "d="),
      ("bh=", "bh=!"), ("h=Date:From", "h=Date::From"), ("\tb=", "\tc=simple; b="), ("t=1795173081", "t=-1"),
      ("t=1795173081", "l=99999999999999999999"),
      ("t=1795173081", "i=@example.net"), ("t=1795173081", "t=5; x=4"), ("t=1795173081", "q=http"),
    ] {
      add("\(old) made \(new)", genuine.replacing(old, with: new), .none, "signature")
    }
    // Genuine mail of Apple's about somebody or something else.
    sign("to another developer", "wrong-recipient") { $0.to = "other@example.com" }
    sign("to two", "wrong-recipient") { $0.to = "release@example.com, other@example.com" }
    sign("to a group", "malformed-to") { $0.to = "all: release@example.com;" }
    sign("to a name", "wrong-recipient") { $0.to = #""release@example.com" <other@example.com>"# }
    sign("another app of the same name", plain: Letter.rows(appleID: "99"), html: Letter.table(appleID: "99"))
    sign("calendar invitation", "wrong-sender") {
      $0.from = "Somebody <noreply@email.apple.com>"
      $0.body = .raw(
        type: "text/calendar; method=REQUEST", encoding: nil,
        bytes: "BEGIN:VCALENDAR\nSUMMARY:\(Letter.rows())\n")
    }
    let mixed = "multipart/mixed; boundary=b"
    sign(
      "calendar part", type: mixed, "--b\n\n\(Letter.rows())\n--b\nContent-Type: text/calendar\n\nx\n--b--\n")
    sign("a review message that quotes a status letter") {
      $0.subject = "New Message from App Store Review Regarding Taxi"
    }
    sign("a forward") { $0.subject = "Fwd: \(live)" }
    let name = #"X, is now "Ready for Distribution""#
    sign("a name that says it is live") {
      $0.subject = "The status of your (iOS) app, \(name), was seen"
      $0.body = .plain(Letter.rows(name: name))
    }
    // Texts that contradict each other.
    sign("plain and HTML of two versions", plain: Letter.rows(), html: Letter.table(version: "9.9"))
    sign("plain and HTML of two apps", plain: Letter.rows(appleID: "99"), html: Letter.table())
    sign("subject and text of two states") {
      $0.body = .plain(Letter.rows(sentence: "The status of your app has changed to Rejected."))
    }
    sign("no version") { $0.body = .plain("App Apple ID: 1234567890") }
    sign("unclosed multipart", type: mixed, "--b\n\n\(Letter.rows())\n")
    sign("a thousand parts deep") { $0.body = Letter.nested(1_000) }
    sign("a thousand parts", type: mixed, String(repeating: "--b\n\nx\n", count: 1_000) + "--b--\n")
    // Bytes that no mail has.
    raw("NUL in the body", genuine.bytes + [0], "nul")
    raw("NUL in From", genuine.replacing("no_reply@", with: "no_reply@\u{0}").bytes, "nul")
    raw("bare CR in Subject", genuine.replacing("Taxi", with: "Taxi\rFrom: x").bytes, "bare-carriage-return")
    raw("bare CR at the end", genuine.bytes + [0x0D], "bare-carriage-return")
    raw(
      "10,000 header fields", Array(String(repeating: "X: y\r\n", count: 10_000).utf8) + genuine.bytes,
      "too-many-fields")
    raw(
      "a field of 70 KiB", Array("X: \(String(repeating: "y", count: 70_000))\r\n".utf8) + genuine.bytes,
      "field-too-long")
    raw("2 MiB", genuine.bytes + [UInt8](repeating: 0x61, count: 2 << 20), "too-large")
    raw("nothing", [], "no-header")
    raw(
      "200 signatures", Array(String(repeating: genuine.fields[0] + "\r\n", count: 200).utf8) + genuine.bytes,
      "signature.too-many-signatures", .apple)
    // Dates that only the caller can judge: the date is read, and it is stale or to come.
    for (name, date) in [
      ("a month old", "Tue, 20 Oct 2026 11:11:21 +0000"), ("of tomorrow", "Sat, 21 Nov 2026 11:11:21 +0000"),
    ] { sign(name, by: signer(world.apple) { $0.time = "" }) { $0.date = date } }
    sign("of no day", "malformed-date") { $0.date = "yesterday" }
    sign("without a readable id", "malformed-message-id") { $0.messageID = "none" }
    return list
  }
}
