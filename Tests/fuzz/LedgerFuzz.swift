import JSON

// What libFuzzer calls; Tests/fuzz.sh builds and runs it. The bytes are a ledger, or changes to a good one.

nonisolated(unsafe) private let stage = Stage()
private let questions = ["status --json", "check taxi 6.0 --json", "rules --json", "app list --json"]
nonisolated(unsafe) private let answers = questions.map {
  stage.run($0.split(separator: " ").map(String.init)).out
}

/// Opens, verifies and asks a ledger with some bytes changed, and traps where it gives another answer and passes for
/// what was recorded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLedger(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  precondition(answers.allSatisfy { !$0.isEmpty })
  let isWhole = bytes.starts(with: "SQLite format 3\0".utf8)
  let image = isWhole ? bytes : changed(stage.image, by: bytes)
  stage.put(image)
  let verified = stage.run(["verify", "--json"])
  precondition([0, 1, 65, 66, 74, 77].contains(verified.status), "\(verified.status): \(verified.err)")
  // Reading alters nothing, but for a ledger of an older schema.
  for (question, answer) in zip(questions, answers) {
    let ran = stage.run(question.split(separator: " ").map(String.init))
    precondition([0, 1, 65, 66, 74, 77].contains(ran.status), "\(question): \(ran.status): \(ran.err)")
    guard ran.status == 0, verified.status == 0, !isWhole else { continue }
    precondition(ran.out == answer, "\(question): \(ran.out)")
  }
  return 0
}

/// Applies changes: three bytes say where, one how many, and as many follow; they go over what is there.
private func changed(_ image: [UInt8], by changes: [UInt8]) -> [UInt8] {
  var image = image
  var rest = changes[...]
  while rest.count > 4 {
    let head = Array(rest.prefix(4))
    let place = (Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])) % image.count
    rest = rest.dropFirst(4)
    let bytes = rest.prefix(Int(head[3]) % 16 + 1)
    for (offset, byte) in bytes.enumerated() where place + offset < image.count {
      image[place + offset] = byte
    }
    rest = rest.dropFirst(bytes.count)
  }
  return image
}
