#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// A regular file that is read in pieces, anywhere in it.
package final class PiecewiseFile {
  private let path: String
  private let descriptor: Int32

  /// Opens a file; nil for anything but a regular file, which has no places to read at.
  package init?(_ path: String) throws(SystemError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(code: errno, operation: "open", path: path) }
    guard try FileStatus(orClosing: descriptor, path: path).kind == .regular else {
      close(descriptor)
      return nil
    }
  }

  deinit { close(descriptor) }

  /// Returns the bytes of a range, fewer if the file ends before.
  package func read(_ range: Range<Int>) throws(SystemError) -> [UInt8] {
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      count = 0
      while count < range.count {
        let rest = buffer.baseAddress?.advanced(by: count)
        let got = pread(descriptor, rest, range.count - count, off_t(range.lowerBound + count))
        if got < 0, errno == EINTR, StopSignals.received == nil { continue }
        guard got > 0 else {
          if got < 0 { failure = errno }
          return
        }
        count += got
      }
    }
    if let failure { throw SystemError(code: failure, operation: "read", path: path) }
    return bytes
  }
}
