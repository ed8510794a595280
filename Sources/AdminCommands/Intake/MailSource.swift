import AppleIntake
import CommandLineKit
import Platform
import ReleaseModel

/// Where mails come from, each by the name it is called in results.
enum MailSource {
  /// The most bytes of one file; a mail of more than 1 MiB is refused as a whole, so no more need be read.
  static let limit = RawMessage.maximumSize + 1
  /// The most bytes of an mbox.
  static let mboxLimit = 256 << 20

  /// A mail that is read when its turn comes.
  struct Mail {
    let name: String
    let read: () throws -> [UInt8]
  }

  /// A file with one mail.
  static func file(_ path: String) -> Mail { Mail(name: path) { try readPrefix(path, limit: limit) } }

  /// The mails of a Maildir's `new` and `cur`, in the order of their Date; nothing in it is altered.
  ///
  /// - Parameter found: Told how many mails were found so far; throws to give up.
  /// - Throws: `Report` for a directory that is no Maildir, `SystemError`.
  static func maildir(_ path: String, found: (Int) throws -> Void = { _ in }) throws -> [Mail] {
    var mails: [(date: Timestamp, path: String)] = []
    var isMaildir = false
    for folder in ["new", "cur"] {
      let directory = "\(path)/\(folder)"
      guard let status = try? FileStatus(of: directory), status.kind == .directory else { continue }
      isMaildir = true
      for name in try fileNames(in: directory) where !name.hasPrefix(".") {
        try found(mails.count)
        let file = "\(directory)/\(name)"
        mails.append((date(of: file), file))
      }
    }
    guard isMaildir else {
      throw Report(
        "ingest.not-a-maildir", "cannot read '\(printable(path, limit: 200))': it is no Maildir",
        hint: "name the directory that has 'new' and 'cur' in it", exit: .data)
    }
    return mails.sorted { ($0.date, $0.path) < ($1.date, $1.path) }.map { file($0.path) }
  }

  /// The mails of an mbox.
  ///
  /// - Throws: `SystemError`, `FileTooLarge`.
  static func mbox(_ path: String) throws -> [Mail] {
    Mbox.messages(of: try readFile(path, limit: mboxLimit)).enumerated().map { index, bytes in
      Mail(name: "\(path)#\(index + 1)") { bytes }
    }
  }

  /// A mail's Date, read from its front; the end of time where it has none, so that it comes last.
  private static func date(of path: String) -> Timestamp {
    let latest = Timestamp(seconds: .max)
    guard let bytes = try? readPrefix(path, limit: limit), let message = try? RawMessage(bytes),
      let field = message.header.only("date")
    else { return latest }
    return MailDate.read(field.value) ?? latest
  }
}
