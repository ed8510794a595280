import JSON
package import ReleaseModel

/// Who holds a ledger's lock, as they wrote it into the lock's file: a help for those who wait, not a proof.
package struct LockHolder: Sendable, Equatable {
  package let pid: Int64
  package let user: String
  package let host: String
  /// The command's name, without what it was told.
  package let command: String
  package let since: Timestamp

  /// More than this is nothing that a holder wrote.
  static let limit = 1_024

  init(pid: Int64, user: String, host: String, command: String, since: Timestamp) {
    self.pid = pid
    self.user = user
    self.host = host
    self.command = command
    self.since = since
  }

  /// Reads what stands in the lock's file; nil where that is something else.
  init?(_ text: String) {
    guard let json = try? JSON(parsing: text.utf8), let pid = json["pid"]?.integer,
      let user = json["user"]?.string, let host = json["host"]?.string,
      let command = json["command"]?.string,
      let since = json["since"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    self.init(pid: pid, user: user, host: host, command: command, since: since)
  }

  /// The line that stands in the lock's file.
  var line: String {
    let json: JSON = [
      "pid": .integer(pid), "user": .string(user), "host": .string(host), "command": .string(command),
      "since": .string(since.text),
    ]
    return json.text() + "\n"
  }
}
