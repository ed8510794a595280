import AdminCommands
import Platform
import ReleaseModel

/// A folder with a ledger in it, and pawl at a fixed time, for the targets that run whole commands.
final class Stage {
  struct Ran {
    let status: Int32
    let out: String
    let err: String
  }

  let folder: String
  var ledger: String { "\(folder)/pawl.db" }
  let image: [UInt8]

  private static let now = Timestamp(seconds: 1_800_014_400)
  private static let past = """
    version,released_at,min_os,notes
    5.0,2026-01-01T09:00:00Z,,First
    6.0,2026-02-01T09:00:00Z,13.0,
    6.9.2,2026-03-01T09:00:00Z,13.0,"Quicker, at last"
    7.0.0,2026-04-01T09:00:00Z,,

    """

  init() {
    folder = "\(environment("TMPDIR") ?? "/tmp")/pawl-fuzz.\(processID)"
    var image: [UInt8] = []
    do {
      try makeDirectory(folder, rights: 0o700)
      for (line, input) in [
        ("init", ""), ("app add taxi --bundle-id com.example.taxi --apple-id 1524608462", ""),
        ("app add van --bundle-id com.example.van", ""), ("import taxi - --yes", Stage.past),
        ("publish taxi 7.1 --note=en=Faster --yes", ""), ("mark taxi 7.1 in-review --yes", ""),
        ("force taxi below:6.0 --reason old --yes", ""), ("remind taxi 6.0..6.9 --yes", ""),
        ("setting taxi map-key free", ""), ("redirect van all --to taxi --yes", ""),
        ("trust host downloads.example.com", ""), ("stop van --reason test", ""),
      ] {
        let ran = Stage.run(
          line.split(separator: " ").map(String.init), ["PAWL_LEDGER": "\(folder)/pawl.db"], input)
        precondition(ran.status == 0, "\(line): \(ran.err)")
      }
      image = try readFile("\(folder)/pawl.db", limit: 1 << 24)
    } catch {
      preconditionFailure("\(error)")
    }
    self.image = image
  }

  /// Puts bytes in the ledger's place, and nothing beside it.
  func put(_ bytes: [UInt8]) {
    for suffix in ["-journal", "-lock"] { removeFile(ledger + suffix) }
    do {
      try publishFile(bytes, as: ledger, rights: 0o640, replaces: true)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  func run(
    _ words: [String], _ variables: [String: String] = [:], input: String = "",
    onLook: @escaping () -> Void = {}
  ) -> Ran {
    Stage.run(words, variables.merging(["PAWL_LEDGER": ledger]) { given, _ in given }, input, onLook)
  }

  private static func run(
    _ words: [String], _ variables: [String: String], _ input: String, _ onLook: @escaping () -> Void = {}
  ) -> Ran {
    var out: [UInt8] = []
    var err: [UInt8] = []
    var rest: [UInt8]? = Array(input.utf8)
    let context = PawlContext()
    (context.user, context.host) = (OSUser(uid: 1_000, name: "engineer"), "ci.example.com")
    (context.programDate, context.endsAfterwards, context.width) = (.distantPast, false, 80)
    (context.isInputTerminal, context.isOutputTerminal, context.isErrorTerminal) = (false, false, false)
    context.clock = { now }
    context.environment = { variables[$0] }
    context.writeOutput = { out += $0 }
    context.writeError = { err += $0 }
    context.readInput = {
      defer { rest = nil }
      return rest.flatMap { $0.isEmpty ? nil : $0 }
    }
    context.runProgram = { words, _, _ in preconditionFailure("a program is run: \(words)") }
    context.listen = { _ in }
    context.stopSignal = {
      onLook()
      return nil
    }
    let status = AdminCommands.run(words, context)
    return Ran(
      status: status, out: String(decoding: out, as: UTF8.self), err: String(decoding: err, as: UTF8.self))
  }
}
