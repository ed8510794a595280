import Platform

extension Ledger {
  /// The rights of a ledger that the accounts of a group write.
  static let groupRights: UInt32 = 0o660

  /// The rights of its folder: what is made in it is the group's, whoever makes it.
  static let groupFolderRights: UInt32 = 0o2770

  /// Makes the folder of a group's ledger, or gives an empty one to the group; one that is the group's stays.
  ///
  /// A journal that one account leaves, another has to read, undo and remove. That takes the group's folder.
  static func prepareFolder(of path: String, for group: UInt32) throws {
    let folder = folder(of: path)
    do {
      let isNew = try makeDirectory(folder, rights: 0o700)
      let resolved = try resolvedPath(folder)
      let status = try FileStatus(of: resolved)
      let isGroups = status.group == group && status.rights & groupFolderRights == groupFolderRights
      if isGroups, status.rights & 0o1000 == 0 { return }
      guard try isNew || fileNames(in: resolved).isEmpty else {
        throw LedgerError.notTheGroups(folder: folder)
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

  /// Holds a ledger that is there against the group it is asked to have.
  static func check(_ status: FileStatus, isOf group: UInt32, named path: String) throws {
    guard status.group == group, status.rights & groupRights == groupRights else {
      throw LedgerError.otherGroup(path: path)
    }
  }
}
