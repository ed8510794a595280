/// A directory that others could use to redirect what is written.
package struct UnsafeDirectory: Error, Sendable, Equatable {
  /// Why it is not used.
  package enum Reason: Sendable, Equatable {
    /// Every account of the machine may put files there, or rename those that are there.
    case worldWritable
    /// A group other than the ledger's may write it.
    case otherGroup
    /// The path leads through a symbolic link that belongs to somebody else.
    case linkOfAnother
  }

  package let path: String
  package let reason: Reason

  package init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }
}

/// Something that stands where a file or a directory of our own should be, and is neither followed nor
/// touched.
package struct Obstruction: Error, Sendable, Equatable {
  package let path: String
  /// What it is, such as "a symbolic link".
  package let what: String

  package init(path: String, what: String) {
    self.path = path
    self.what = what
  }
}

extension FileStatus {
  /// What messages call something that stands where it should not.
  package var words: String {
    kind == .regular && links > 1 ? "a file of several names (hard links)" : kind.words
  }
}

extension FileStatus.Kind {
  package var words: String {
    switch self {
    case .regular: "a file"
    case .directory: "a directory"
    case .symbolicLink: "a symbolic link"
    case .other: "a pipe, socket or device"
    }
  }
}
