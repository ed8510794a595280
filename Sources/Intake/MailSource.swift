import AppleIntake
package import Platform
import ReleaseModel

/// Where mails come from; each has the name that results use for it.
package enum MailSource {
  /// The most bytes that are read of one file; a mail of more than 1 MiB is refused, so no more need be read.
  private static let limit = RawMessage.maximumSize + 1

  /// A mail that is not read until its turn comes.
  package struct Mail {
    package let name: String
    /// Throws `EntryFault` for an entry of a Maildir that is passed over.
    package let read: () throws -> [UInt8]
  }

  /// The mails of a Maildir, and the entries that are none.
  package struct Maildir {
    package var mails: [Mail] = []
    package var passedOver: [(name: String, fault: EntryFault)] = []

    package init() {}
  }

  /// A file; `-` is standard input, which is read at once, before the ledger is opened: that would reuse the descriptor of
  /// a closed one.
  package static func file(_ path: String, input: (_ limit: Int) throws -> [UInt8]) throws -> Mail {
    guard path == "-" else { return Mail(name: path) { try readPrefix(path, limit: limit) } }
    let bytes = try input(limit)
    return Mail(name: path) { bytes }
  }

  /// The mails in a Maildir's `new` and `cur`, in the order of their Date; nothing in it is altered.
  ///
  /// Links are not followed; an entry that is not a file, or that has disappeared, is passed over.
  ///
  /// - Parameter between: Called before each entry; throws to give up.
  package static func maildir(_ path: String, between: () throws -> Void = {}) throws -> Maildir {
    var maildir = Maildir()
    var mails: [(date: Timestamp, mail: Mail)] = []
    var isMaildir = false
    for folder in try folders(of: path, &maildir) {
      isMaildir = true
      for entry in try folder.entries() where entry.first != UInt8(ascii: ".") {
        try between()
        let name = "\(folder.path)/\(String(decoding: entry, as: UTF8.self))"
        let mail = Mail(name: name) { try folder.readPrefix(of: entry, limit: limit) }
        do {
          mails.append((date(of: try mail.read()), mail))
        } catch let fault as EntryFault {
          maildir.passedOver.append((name, fault))
        }
      }
    }
    guard isMaildir else {
      let linked = maildir.passedOver.first?.name
      throw Refusal(
        linked == nil ? "ingest.not-a-maildir" : "ingest.not-a-maildir/link",
        ["path": path, "name": linked ?? ""])
    }
    maildir.mails = mails.sorted { ($0.date, $0.mail.name) < ($1.date, $1.mail.name) }.map(\.mail)
    return maildir
  }

  /// The directories of a Maildir that exist; a link might lead anywhere, so it is passed over.
  private static func folders(of path: String, _ maildir: inout Maildir) throws -> [Directory] {
    var folders: [Directory] = []
    let top = try Directory.named(path)
    for name in ["new", "cur"] {
      switch Result(catching: { () throws(EntryFault) in try top.entry(name) }) {
      case .success(let folder): folders.append(folder)
      case .failure(.gone): continue
      case .failure(.unreadable(let cause)): throw cause
      case .failure(let fault): maildir.passedOver.append(("\(path)/\(name)", fault))
      }
    }
    return folders
  }

  /// A mail's Date; without one, the end of time, so that the mail comes last.
  private static func date(of bytes: [UInt8]) -> Timestamp {
    let latest = Timestamp(seconds: .max)
    guard let message = try? RawMessage(bytes), let field = message.header.only("date") else { return latest }
    return MailDate.read(field.value) ?? latest
  }
}
