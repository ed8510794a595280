/// From where a command, or one of its options, may be used.
package enum Reach: Sendable, Hashable {
  /// Only on the host that runs it, never at the request of another one.
  case host
  /// Only where the caller is, even if the data is on another host.
  case caller
  /// At the request of another host, but not by somebody who is limited to some commands.
  case unlimited
  /// At the request of another host, too.
  case remote
  /// At the request of another host, for keys that may run the command that this one then runs.
  case relay
  /// At the request of another host, which asks again until the answer is the one it waits for.
  case repeated

  package var isServed: Bool { self != .host && self != .caller }
}

/// What a command does with a file or directory whose name it is given.
package enum PathUse: Sendable, Equatable {
  case read
  /// It reads the file, or standard input for `-`.
  case input
  /// It writes the file for whoever calls it, or standard output for `-`.
  case output
  /// It uses the file or directory of the host that runs it.
  case host
}
