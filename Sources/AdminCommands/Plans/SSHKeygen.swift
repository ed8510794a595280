import CommandLineKit
import Ledger
import Platform

/// Signs with people's own SSH keys, by running `ssh-keygen`.
enum SSHKeygen {
  /// The names of the keys that ssh itself looks for, best first.
  private static let usualNames = ["id_ed25519", "id_ed25519_sk", "id_ecdsa", "id_ecdsa_sk", "id_rsa"]

  /// The key of the person who runs pawl.
  ///
  /// - Throws: `CommandFailure` if there is none.
  static func usualKey(_ context: PawlContext) throws -> String {
    let folder = (context.environment("HOME") ?? "") + "/.ssh/"
    for name in usualNames where (try? FileStatus(of: folder + name)) != nil { return folder + name }
    throw CommandFailure(
      "plan.no-key", "cannot sign: there is no SSH key in '\(printable(folder, limit: 200))'",
      hint: "name yours with --key FILE, or make one with 'ssh-keygen -t ed25519'", exit: .missing)
  }

  /// Signs bytes as a plan.
  ///
  /// - Throws: `CommandFailure` if ssh-keygen does not sign.
  static func sign(_ bytes: [UInt8], key: String, _ context: PawlContext) throws -> String {
    let words = ["ssh-keygen", "-Y", "sign", "-q", "-n", Plan.namespace, "-f", key]
    guard let end = try? context.captureProgram(words, bytes), end.status == 0,
      let signature = String(validating: end.output, as: UTF8.self)
    else {
      throw CommandFailure(
        "plan.not-signed", "cannot sign with '\(printable(key, limit: 200))': ssh-keygen did not",
        hint: "ssh-keygen says why above; it is part of OpenSSH 8.2 and later", exit: .refused)
    }
    return signature
  }
}
