import AppleIntake
import Crypto
import ReleaseModel

/// Every forged or malformed mail of the tests, by class.
package enum Forgeries {
  package static let all: [Forgery] = World.shared.map { make($0) } ?? []

  private static let live = #"The status of your (iOS) app, Taxi, is now "Ready for Distribution""#

  private static func make(_ world: World) -> [Forgery] {
    let genuine = world.apple.sign(Letter())
    var list: [Forgery] = []
    func add(_ name: String, _ mail: Mail, _ server: Forgery.ServerWord = .apple, _ why: String? = nil) {
      list.append(Forgery(name: name, bytes: mail.bytes, server: server, why: why))
    }
    func letter(_ change: (inout Letter) -> Void) -> Letter {
      var letter = Letter()
      change(&letter)
      return letter
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
      add("from \(address)", world.apple.sign(letter { $0.from = "App Store Connect <\(address)>" }), .apple)
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
      add("From: \(from)", world.apple.sign(letter { $0.from = from }), .apple)
    }
    // Comments and encoded words within the address.
    for from in [
      "no_reply@email.apple.com(", "no_reply(x)@email.apple.com", "no_reply@(x)email.apple.com",
      "=?UTF-8?Q?no=5Freply?=@email.apple.com",
      "no_reply@=?UTF-8?Q?email=2Eapple=2Ecom?=", "=?UTF-8?Q?<no=5Freply@email.apple.com>?= <x@example.net>",
      "no_reply @email.apple.com",
      "no_reply@[17.111.110.101]",
    ] {
      add("From: \(from)", world.apple.sign(letter { $0.from = from }), .apple)
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
      add("prepended \(field)", genuine.prepending(field), .apple)
      add("appended \(field)", genuine.appending(field), .apple)
    }
    for name in ["Date", "From", "To", "Message-ID", "Subject", "Content-Type"] {
      add(
        "no \(name)", Mail(fields: genuine.fields.filter { !$0.hasPrefix("\(name):") }, body: genuine.body),
        .apple, "missing-field")
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
    list.append(
      Forgery(
        name: "cut within the header", bytes: Array(genuine.bytes.prefix(500)), server: .silent,
        why: "missing-field"))
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
    add(
      "to another developer", world.apple.sign(letter { $0.to = "other@example.com" }), .apple,
      "wrong-recipient")
    add(
      "to two", world.apple.sign(letter { $0.to = "release@example.com, other@example.com" }), .apple,
      "wrong-recipient")
    add(
      "to a group", world.apple.sign(letter { $0.to = "all: release@example.com;" }), .apple, "malformed-to")
    add(
      "to a name", world.apple.sign(letter { $0.to = #""release@example.com" <other@example.com>"# }), .apple,
      "wrong-recipient")
    add(
      "another app of the same name",
      world.apple.sign(
        letter {
          $0.body = .alternative(plain: Letter.rows(appleID: "99"), html: Letter.table(appleID: "99"))
        }))
    add(
      "calendar invitation",
      world.apple.sign(
        letter {
          $0.from = "Somebody <noreply@email.apple.com>"
          $0.body = .raw(
            type: "text/calendar; method=REQUEST", encoding: nil,
            bytes: "BEGIN:VCALENDAR\nSUMMARY:\(Letter.rows())\n")
        }), .apple, "wrong-sender")
    add(
      "calendar part",
      world.apple.sign(
        letter {
          $0.body = .raw(
            type: "multipart/mixed; boundary=b", encoding: nil,
            bytes: "--b\n\n\(Letter.rows())\n--b\nContent-Type: text/calendar\n\nx\n--b--\n")
        }))
    add(
      "a review message that quotes a status letter",
      world.apple.sign(letter { $0.subject = "New Message from App Store Review Regarding Taxi" }))
    add("a forward", world.apple.sign(letter { $0.subject = "Fwd: \(live)" }))
    let name = #"X, is now "Ready for Distribution""#
    add(
      "a name that says it is live",
      world.apple.sign(
        letter {
          $0.subject = "The status of your (iOS) app, \(name), was seen"
          $0.body = .plain(Letter.rows(name: name))
        }))
    // Texts that contradict each other.
    add(
      "plain and HTML of two versions",
      world.apple.sign(
        letter { $0.body = .alternative(plain: Letter.rows(), html: Letter.table(version: "9.9")) }))
    add(
      "plain and HTML of two apps",
      world.apple.sign(
        letter { $0.body = .alternative(plain: Letter.rows(appleID: "99"), html: Letter.table()) }))
    add(
      "subject and text of two states",
      world.apple.sign(
        letter { $0.body = .plain(Letter.rows(sentence: "The status of your app has changed to Rejected.")) })
    )
    add("no version", world.apple.sign(letter { $0.body = .plain("App Apple ID: 1234567890") }))
    add(
      "unclosed multipart",
      world.apple.sign(
        letter {
          $0.body = .raw(
            type: "multipart/mixed; boundary=b", encoding: nil, bytes: "--b\n\n\(Letter.rows())\n")
        }))
    add("a thousand parts deep", world.apple.sign(letter { $0.body = Letter.nested(1_000) }))
    add(
      "a thousand parts",
      world.apple.sign(
        letter {
          $0.body = .raw(
            type: "multipart/mixed; boundary=b", encoding: nil,
            bytes: String(repeating: "--b\n\nx\n", count: 1_000) + "--b--\n")
        }))
    // Bytes that no mail has.
    list.append(Forgery(name: "NUL in the body", bytes: genuine.bytes + [0], server: .silent, why: "nul"))
    list.append(
      Forgery(
        name: "NUL in From", bytes: genuine.replacing("no_reply@", with: "no_reply@\u{0}").bytes,
        server: .silent, why: "nul"))
    list.append(
      Forgery(
        name: "bare CR in Subject", bytes: genuine.replacing("Taxi", with: "Taxi\rFrom: x").bytes,
        server: .silent, why: "bare-carriage-return"))
    list.append(
      Forgery(
        name: "bare CR at the end", bytes: genuine.bytes + [0x0D], server: .silent,
        why: "bare-carriage-return"))
    list.append(
      Forgery(
        name: "10,000 header fields",
        bytes: Array(String(repeating: "X: y\r\n", count: 10_000).utf8) + genuine.bytes, server: .silent,
        why: "too-many-fields"))
    list.append(
      Forgery(
        name: "a field of 70 KiB",
        bytes: Array("X: \(String(repeating: "y", count: 70_000))\r\n".utf8) + genuine.bytes, server: .silent,
        why: "field-too-long"))
    list.append(
      Forgery(
        name: "2 MiB", bytes: genuine.bytes + [UInt8](repeating: 0x61, count: 2 << 20), server: .silent,
        why: "too-large"))
    list.append(Forgery(name: "nothing", bytes: [], server: .silent, why: "no-header"))
    list.append(
      Forgery(
        name: "200 signatures",
        bytes: Array(String(repeating: genuine.fields[0] + "\r\n", count: 200).utf8) + genuine.bytes,
        server: .apple, why: "signature.too-many-signatures"))
    // Dates that only the caller can judge: the date is read, and it is stale or to come.
    add(
      "a month old",
      signer(world.apple) { $0.time = "" }.sign(letter { $0.date = "Tue, 20 Oct 2026 11:11:21 +0000" }))
    add(
      "of tomorrow",
      signer(world.apple) { $0.time = "" }.sign(letter { $0.date = "Sat, 21 Nov 2026 11:11:21 +0000" }))
    add("of no day", world.apple.sign(letter { $0.date = "yesterday" }), .apple, "malformed-date")
    add(
      "without a readable id", world.apple.sign(letter { $0.messageID = "none" }), .apple,
      "malformed-message-id")
    return list
  }
}
