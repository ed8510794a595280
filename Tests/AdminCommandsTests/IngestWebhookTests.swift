import Crypto
import JSON
import MailCorpus
import ReleaseModel
import TestSupport
import Testing

@Suite struct IngestWebhookTests {
  @Test func `a webhook with a wrong signature is refused`() throws {
    let room = try Mailroom.open("7.3.0", .inReview)
    let body = room.notification("ACCEPTED")
    let good = Shell.signature(body)
    for (name, text) in [
      ("body", body), ("hook", String(decoding: Shell.secret, as: UTF8.self)), ("empty", "\n"),
    ] {
      try room.directory.write(text, to: name)
    }
    for bad in [
      Shell.signature(body + " "), Shell.signature(body, Array("another".utf8)), "hmacsha256=",
      String(good.dropLast()), good + "0", "hmacsha256=" + String(repeating: "0", count: 64),
      "sha256=" + good.dropFirst(11), "hmacsha256=" + String(repeating: "zz", count: 32),
      "hmacsha256=+" + good.dropFirst(12),
    ] {
      try room.tell(
        "ingest webhook taxi @body --signature \(bad) --secret-file @hook → 1 webhook.bad-signature")
    }
    let unkeyed = Shell.signature(body, [])
    try room.tell(
      "ingest webhook taxi @body --signature \(unkeyed) --secret-file @empty → 1 webhook.bad-signature")
  }
}
