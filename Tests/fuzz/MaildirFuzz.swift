import JSON
import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// What libFuzzer calls; Tests/fuzz.sh builds and runs it. The bytes are a Maildir: how its folders are, what is moved while
// it is read, and its entries. `pinned` is the TXT record of a key whose private half is thrown away.

nonisolated(unsafe) private let stage: Stage = {
  let stage = Stage()
  let made =
    stage.run(["trust", "recipient", "release@example.com"]).status == 0
    && ["test", "email0517"].allSatisfy {
      stage.run(["trust", "dkim", "email.apple.com", $0, "--key", "-"], input: pinned).status == 0
    }
  do {
    try publishFile(
      Array("From: canary@example.net\n\ncanary\n".utf8), as: outside, rights: 0o600, replaces: true)
    if mkdir(outside + "-folder", 0o700) != 0 { preconditionFailure("cannot make a folder") }
    try publishFile(
      Array("From: canary@example.net\n\ncanary\n".utf8), as: outside + "-folder/mail", rights: 0o600,
      replaces: true)
  } catch {
    preconditionFailure("\(error)")
  }
  precondition(made)
  return stage
}()
private let image = (try? readFile(stage.ledger, limit: 1 << 24)) ?? []
private let releases = stage.run(["releases", "taxi", "--json"]).out
private let path = "Maildir"
private let outside = "outside"

/// Takes a Maildir in, and traps where a mail moves a release, where an entry keeps another from being taken in, and where
/// something is read that lies elsewhere.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMaildir(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  precondition(!image.isEmpty && !releases.isEmpty)
  stage.put(image)
  var maildir = Maildir(bytes)
  defer { maildir.remove() }
  let ran = stage.run(["ingest", "mail", "--maildir", path, "--json"]) { maildir.move() }
  let isThere = maildir.hasFolder
  precondition(ran.status == (isThere ? 0 : 65), "\(ran.status): \(ran.err)")
  // A mail may have the word itself.
  if !String(decoding: bytes, as: UTF8.self).contains("canary") {
    let stored = (try? readFile(stage.ledger, limit: 1 << 26)) ?? []
    precondition(
      !(ran.out + ran.err + String(decoding: stored, as: UTF8.self)).contains("canary"), "read from outside")
  }
  if isThere {
    let taken = (try? JSON(parsing: ran.out.utf8))?["results"]?.array?.count ?? -1
    precondition(taken >= maildir.staying, "\(taken) of \(maildir.staying) mails: \(ran.out)")
  }
  precondition(stage.run(["releases", "taxi", "--json"]).out == releases, "a release moved: \(ran.out)")
  let strict = stage.run(["ingest", "mail", "--maildir", path, "--strict"])
  precondition([0, 1, 65].contains(strict.status), "\(strict.status): \(strict.err)")
  precondition(stage.run(["verify"]).status == 0)
  return 0
}

private struct Maildir {
  private(set) var staying = 0
  private(set) var hasFolder = false
  private var made: [[CChar]] = []
  private var movable: [[CChar]] = []
  private var patience: UInt8

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    func next() -> UInt8 { rest.popFirst() ?? 0 }
    let layout = next()
    patience = next()
    var folders: [String] = []
    _ = mkdir(path, 0o755)
    for (index, name) in ["new", "cur"].enumerated() {
      let folder = "\(path)/\(name)"
      switch (layout >> (index * 3)) & 7 {
      case 1: _ = symlink("../\(outside)-folder", folder)
      case 2: _ = mkfifo(folder, 0o644)
      case 3: break
      default:
        _ = mkdir(folder, 0o755)
        folders.append(folder)
      }
    }
    hasFolder = !folders.isEmpty
    guard hasFolder else { return }
    while rest.count > 3, made.count < 40 {
      let kind = next()
      let nameLength = Int(next()) % 64
      let name = rest.prefix(nameLength).map { $0 == 0 || $0 == 0x2F ? 0x78 : $0 }
      rest = rest.dropFirst(nameLength)
      let folder = folders[Int(kind >> 4) % folders.count]
      let entry = (Array("\(folder)/".utf8) + name + [0]).map { CChar(bitPattern: $0) }
      var status = stat()
      guard !name.isEmpty, name != [0x2E], name != [0x2E, 0x2E], lstat(entry, &status) != 0 else { continue }
      switch kind & 15 {
      case 1: _ = symlink("../../\(outside)", entry)
      case 2: _ = symlink("nowhere", entry)
      case 3: _ = mkfifo(entry, 0o644)
      case 4: _ = mkdir(entry, 0o755)
      case 5: _ = symlink("/dev/zero", entry)
      default:
        let length = Int(next()) << 8 | Int(next())
        guard let file = fopen(entry, "w") else { continue }
        let content = Array(rest.prefix(length))
        fwrite(content, 1, content.count, file)
        fclose(file)
        rest = rest.dropFirst(length)
        if kind & 15 == 6 {
          movable.append(entry)
        } else if name.first != 0x2E {
          staying += 1
        }
      }
      made.append(entry)
    }
  }

  mutating func move() {
    guard !movable.isEmpty else { return }
    guard patience == 0 else {
      patience -= 1
      return
    }
    for entry in movable {
      let moved = Array(entry.dropLast()) + ":2,S".utf8CString
      if rename(entry, moved) == 0 { made.append(moved) }
    }
    movable = []
  }

  func remove() {
    for entry in made where unlink(entry) != 0 { rmdir(entry) }
    for name in ["new", "cur"] where unlink("\(path)/\(name)") != 0 { rmdir("\(path)/\(name)") }
    rmdir(path)
  }
}
