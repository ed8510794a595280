import AppleIntake
import ReleaseModel

// What libFuzzer calls; Tests/fuzz.sh builds and runs it. `pinned` is the TXT record of a key that the script makes, and
// whose private half it throws away: nothing that libFuzzer comes up with is signed by it.

private let trust: MailTrust = {
  let keys = ["test", "email0517"].compactMap { selector in
    try? PinnedKey(domain: AppleSender.domain, selector: selector, text: pinned)
  }
  precondition(keys.count == 2 && keys.allSatisfy { $0.key != nil }, "the pinned key cannot be read")
  let recipients = ["release@example.com"].compactMap { MailAddress($0) }
  return MailTrust(keys: keys, recipients: recipients)
}()

private let serverTrust: MailTrust = {
  var trust = trust
  trust.servers = ["mx.example.com"]
  return trust
}()

private let now = Timestamp(seconds: 1_795_173_100)

/// Reads the bytes as every way in does, and traps where a mail is believed.
///
/// No seed is signed by the pinned key, so any proof is a defect of the reader. By a server's word a mail may be
/// proved; there only the reading is tried.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMail(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  read(bytes)
  return 0
}

private func read(_ bytes: [UInt8]) {
  guard let message = try? RawMessage(bytes) else { return }
  let examination = MailExamination(message, trust: trust, now: now)
  if case .success(let proof) = examination.proof {
    preconditionFailure("believed: \(proof)")
  }
  precondition(examination.notice == nil, "a letter that is not proved is read out")
  // What the letter says is looked at as well, though nothing proves it.
  if let headers = examination.headers { _ = AppleNotice(message, subject: headers.subject) }
  _ = MailExamination(message, trust: serverTrust, now: now)
}
