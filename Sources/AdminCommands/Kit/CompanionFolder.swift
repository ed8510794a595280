import JSON
import Ledger
import Platform
import ReleaseModel

/// A folder beside a ledger that holds a file in JSON for each name.
struct CompanionFolder {
  let folder: Directory
  /// The rights of the files in it: those of the ledger, without those for others.
  let rights: UInt32

  static let limit = 1 << 28

  /// Opens the folder, and makes it if it is to be made.
  ///
  /// - Throws: `Obstruction`, `SystemError`, `UnsafeDirectory`.
  init(_ companion: Companion, of ledger: Ledger, makes: Bool) throws {
    let status = try FileStatus(of: ledger.path)
    rights = status.rights & 0o660
    // An account that may read the ledger may see who is behind; one that may write it may bring them up to date.
    let isGroups = status.rights & 0o020 != 0
    let folderRights: UInt32 = 0o700 | (isGroups ? 0o2070 : status.rights & 0o040 != 0 ? 0o050 : 0)
    folder = try Directory.open(ledger.path(of: companion), makingWith: makes ? folderRights : nil)
  }

  func names() throws -> [String] {
    try folder.names().filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }
      .filter(App.isSlug).sorted()
  }

  func path(of file: String) -> String { "\(folder.path)/\(file)" }

  /// What a file holds, `null` if that is not JSON; nil if the file does not exist.
  func read(_ file: String) throws -> JSON? {
    guard let bytes = try folder.read(file, limit: CompanionFolder.limit) else { return nil }
    return (try? JSON(parsing: bytes)) ?? .null
  }

  func write(_ json: JSON, _ file: String) throws {
    let staged = file + ".new"
    try folder.remove(staged)
    let writer = try folder.create(staged, rights: rights)
    try writer.write(json.bytes() + [0x0A])
    try writer.flush()
    try folder.rename(staged, to: file, in: folder)
    try folder.flush()
  }
}
