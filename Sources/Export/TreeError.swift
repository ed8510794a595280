package import Platform

/// Why a directory is not written.
package enum TreeError: Error, Sendable, Equatable {
  case busy(String)
  /// It bears the mark of another ledger.
  case otherLedger(String)
  /// Nobody on this host has said yet that the ledger may write there.
  case unmarked(String)
  /// A name from the ledger cannot be the name of a file.
  case badName(String)
}

/// What permits writing to a directory.
package struct Agreement {
  /// Whether somebody on this host is naming the directory right now, so that it may be made and marked.
  let isGiven: Bool
  /// The group that may write the directory too.
  let group: UInt32
  /// Whether a mark with a given status counts, which means that its owner may change the ledger.
  package let trusts: (FileStatus) -> Bool

  package init(isGiven: Bool, group: UInt32, trusts: @escaping (FileStatus) -> Bool) {
    self.isGiven = isGiven
    self.group = group
    self.trusts = trusts
  }
}
