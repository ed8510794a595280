import JSON
package import ReleaseModel

/// Who holds a ledger's lock, as the holder wrote it: a help for those who wait, not a proof.
package struct LockHolder: Sendable, Equatable {
  package let pid: Int64
  package let user: String
  package let host: String
  package let command: String
  package let since: Timestamp

  /// The most bytes that are read; nothing longer was written by a holder.
  static let limit = 1_024
}

extension LockHolder {
  init?(_ text: String) {
    guard let json = try? JSON(parsing: text.utf8), let pid = json["pid"]?.integer,
      let user = json["user"]?.string, let host = json["host"]?.string,
      let command = json["command"]?.string,
      let since = json["since"]?.string.flatMap({ try? Timestamp($0) })
    else { return nil }
    self.init(pid: pid, user: user, host: host, command: command, since: since)
  }

  var line: String {
    let json: JSON = [
      "pid": .integer(pid), "user": .string(user), "host": .string(host), "command": .string(command),
      "since": .string(since.text),
    ]
    return json.text() + "\n"
  }
}
