import Platform
import ReleaseModel

extension Ledger {
  static let groupRights: UInt32 = 0o660

  /// The rights of that ledger's folder: what is made in it belongs to the group, whoever makes it.
  static let groupFolderRights: UInt32 = 0o2770

  /// Makes the folder of a group's ledger, or gives an empty one to the group: if one account leaves a
  /// journal, another must be able to read it, roll it back and remove it.
  static func prepareFolder(of path: String, for group: UInt32) throws {
    let folder = folder(of: path)
    do {
      let isNew = try makeDirectory(folder, rights: 0o700)
      let resolved = try resolvedPath(folder)
      let status = try FileStatus(of: resolved)
      let isGroups = status.group == group && status.rights & groupFolderRights == groupFolderRights
      if isGroups, status.rights & 0o1000 == 0 { return }
      guard try isNew || fileNames(in: resolved).isEmpty else {
        throw LedgerError.unusable(Refusal("ledger.not-the-groups", ["folder": folder]))
      }
      do {
        try share(resolved, withGroup: group, rights: groupFolderRights)
      } catch {
        if isNew { removeFolder(resolved) }
        throw error
      }
    } catch let error as SystemError {
      throw LedgerError.system(error)
    }
  }

  static func check(_ status: FileStatus, isOf group: UInt32, named path: String) throws {
    guard status.group == group, status.rights & groupRights == groupRights else {
      throw LedgerError.unusable("ledger.other-group", path)
    }
  }
}
