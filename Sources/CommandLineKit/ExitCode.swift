/// The status a process ends with, after the customs of `sysexits.h`.
package struct ExitCode: RawRepresentable, Sendable, Hashable {
  /// The number handed to the system, which keeps its low eight bits.
  package let rawValue: Int32

  /// Wraps a status, whatever its number.
  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// All went well: 0.
  package static let success = ExitCode(rawValue: 0)

  /// The command was written wrong (`EX_USAGE`): 64.
  package static let usage = ExitCode(rawValue: 64)
}
