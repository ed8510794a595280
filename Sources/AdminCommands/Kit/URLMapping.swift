import CommandLineKit
import JSON
import ReleaseModel

func report(url text: String, _ fault: URLFault) -> CommandFailure {
  let url = quoted(text)
  func refused(_ id: String, _ reason: String, _ hint: String, _ exit: ExitCode = .usage) -> CommandFailure {
    CommandFailure(
      id, "cannot use URL \(url): \(reason)", hint: hint, details: ["url": .string(text)], exit: exit)
  }
  switch fault {
  case .malformed:
    return refused("url.malformed", "it is not an absolute URL with a host", "write https://HOST/PATH")
  case .foreignHost:
    return refused(
      "url.malformed", "its host holds characters outside ASCII",
      "write the host in punycode, as in https://xn--e1afmkfd.example.com/")
  case .tooLong:
    return refused("url.malformed", "it is longer than \(StoreURL.maximumLength) bytes", "use a shorter one")
  case .forbiddenCharacter:
    return refused("url.malformed", "it holds a character that no URL may hold", "percent-encode it")
  case .brokenEscape:
    return refused(
      "url.malformed", "a '%' is not followed by two hexadecimal digits", "write %25 for a percent sign")
  case .scheme(let scheme):
    return refused(
      "url.scheme", "scheme '\(scheme)' is not safe for clients to open",
      "use https, itms-apps, itms-appss, itms-services, or com.apple.TVAppStore for tvOS", .refused)
  case .platform(let platform):
    return refused(
      "url.scheme", "\(platform.rawValue) does not open it",
      platform == .tvOS ? "write com.apple.TVAppStore://HOST/PATH" : "write https://HOST/PATH", .refused)
  case .credentials:
    return refused(
      "url.credentials", "it carries a user name or password", "remove what comes before '@'", .refused)
  case .host(let host):
    return refused(
      "url.host-not-trusted", "host '\(host)' is not trusted",
      "if clients may be sent there, run 'pawl trust host \(host)'", .refused)
  case .manifest:
    return refused(
      "url.manifest", "it does not name an https manifest",
      "write itms-services://?action=download-manifest&url=https://HOST/manifest.plist", .refused)
  }
}
