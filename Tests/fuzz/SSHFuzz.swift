import Platform

// What libFuzzer calls; Tests/fuzz.sh builds and runs it. The bytes are a line that came over ssh, and after a NUL what
// comes on standard input.

/// A ledger, and beside it another one and a file whose contents nobody with a key may ever see.
nonisolated(unsafe) private let stage: Stage = {
  let stage = Stage()
  let made =
    stage.run(["init"], ["PAWL_LEDGER": other]).status == 0
    && stage.run(
      ["app", "add", "canary", "--bundle-id", "com.example.canary"], ["PAWL_LEDGER": other]
    ).status == 0
  precondition(made)
  do {
    for name in ["secret", "csv"] {
      try publishFile(Array("version,canary\n".utf8), as: name, rights: 0o600, replaces: true)
    }
  } catch {
    preconditionFailure("\(error)")
  }
  return stage
}()
private let other = "o.db"
nonisolated(unsafe) private let before = (try? readFile(other, limit: 1 << 24)) ?? []
nonisolated(unsafe) private let names = Set((try? fileNames(in: ".")) ?? [])

/// Runs the line as two forced commands do, and traps where it reaches another file, or a command that is not allowed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSSH(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let line = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  let input = String(decoding: bytes.drop { $0 != 0 }.dropFirst(), as: UTF8.self)
  stage.put(stage.image)
  precondition(!before.isEmpty && names.contains(other) && names.contains("secret"))

  func serve(_ options: [String]) {
    let ran = stage.run(
      ["serve-ssh", "--ledger", stage.ledger] + options,
      ["SSH_ORIGINAL_COMMAND": line, "PAWL_LEDGER": other, "HOME": "/", "PATH": "/"], input: input)
    // A line may say the word itself, and what it says may come back: only as it was written.
    precondition(
      line.contains("canary") || input.contains("canary") || !(ran.out + ran.err).contains("canary"),
      "\(line): \(ran.out)\(ran.err)")
    precondition(ran.status != 70, "\(line): \(ran.err)")
  }
  // These change nothing, whatever else is asked for.
  serve(["--allow", "check,status,app list,history,inbox show,rules"])
  precondition((try? readFile(stage.ledger, limit: 1 << 24)) == stage.image, "changed by \(line)")
  serve([])
  precondition((try? readFile(other, limit: 1 << 24)) == before, "\(line) wrote another ledger")
  precondition(Set((try? fileNames(in: ".")) ?? []) == names, "\(line) wrote a file")
  return 0
}
