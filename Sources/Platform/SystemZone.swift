import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  @preconcurrency import Glibc
#endif

/// A time zone as the C library reads it from a zone file (tzset(3), localtime_r(3)).
///
/// The library silently takes what it cannot read for UTC, so the file is looked at first.
package struct SystemZone: Sendable, Equatable {
  /// The absolute path of the zone file; nil for UTC.
  private let file: String?

  package static let utc = SystemZone()

  private init() { file = nil }

  /// - Returns: Nil if the file is not a zone file (RFC 8536 §3.1).
  /// - Throws: `SystemError`.
  package init?(file: String) throws(SystemError) {
    guard file.utf8.count < SystemZone.longest,
      try readPlainPrefix(file, limit: 4)?.elementsEqual("TZif".utf8) == true
    else { return nil }
    self.file = file
  }

  /// Seconds to add to UTC for local time; east of Greenwich is positive.
  ///
  /// - Parameter moment: In seconds since 1970-01-01T00:00:00Z.
  package func offset(at moment: Int64) -> Int64 {
    guard let file else { return 0 }
    return SystemZone.variable.withLock { variable in
      variable.select(file)
      var moment = time_t(moment)
      var local = tm()
      return localtime_r(&moment, &local) == nil ? 0 : Int64(local.tm_gmtoff)
    }
  }

  /// The moments at which clocks show a local time, ascending: usually one, none if clocks were put forward past it,
  /// several if they were put back past it.
  ///
  /// - Parameter local: Seconds from 1970-01-01T00:00:00 as clocks show it.
  package func moments(of local: Int64) -> [Int64] {
    // Local time differs from UTC by less than 26 hours, so one of these moments has the offset that counts.
    let offsets = Set((-26...26).map { offset(at: local + $0 * 3_600) })
    return offsets.map { local - $0 }.filter { $0 + offset(at: $0) == local }.sorted()
  }

  /// The first moment at which clocks show a local time or a later one.
  package func firstMoment(notBefore local: Int64) -> Int64 {
    if let first = moments(of: local).first { return first }
    // At `low`, clocks certainly show less; at `high`, they do not.
    var (low, high) = (local - 26 * 3_600, local + 26 * 3_600)
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if middle + offset(at: middle) < local { low = middle } else { high = middle }
    }
    return high
  }

  private static let longest = 4_000
  private static let variable = Mutex(Variable())

  /// The variable `TZ`, whose one buffer stays in the environment: only its text changes, so that no one who reads the
  /// environment meanwhile finds it moved.
  private struct Variable: ~Copyable, @unchecked Sendable {
    private var buffer: UnsafeMutablePointer<CChar>?
    private var selected: String?

    mutating func select(_ file: String) {
      guard file != selected else { return }
      let text = "TZ=:\(file)".utf8CString
      let isNew = buffer == nil
      let buffer = buffer ?? .allocate(capacity: SystemZone.longest + 8)
      for (place, byte) in text.enumerated() { buffer[place] = byte }
      if isNew { putenv(buffer) }
      self.buffer = buffer
      selected = file
      tzset()
    }
  }
}
