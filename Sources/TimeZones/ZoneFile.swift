/// Why the bytes of a zone file cannot be used.
package enum ZoneFault: Error, Sendable, Equatable {
  case notAZoneFile
  case tooShort
  /// A number in it is outside what RFC 8536 allows.
  case outOfRange
  /// Its moments count leap seconds, which a ledger's do not.
  case leapSeconds
  /// Its rule for the time after its last change is not in POSIX form.
  case malformedRule
}

/// The local time of a zone from some moment on.
package struct LocalTime: Sendable, Equatable {
  /// Seconds to add to UTC; east of Greenwich is positive.
  package let offset: Int64
  package let isDaylight: Bool
  package let abbreviation: String

  package init(offset: Int64, isDaylight: Bool, abbreviation: String) {
    self.offset = offset
    self.isDaylight = isDaylight
    self.abbreviation = abbreviation
  }
}

/// A zone as a TZif file describes it (RFC 8536): when local time changed, and a rule for the time after
/// that.
///
/// The file may come from anybody, so every number is checked against the bytes that exist before it is used.
package struct ZoneFile: Sendable, Equatable {
  /// The moments at which local time changes, ascending, in seconds since 1970-01-01T00:00:00Z.
  private let moments: [Int64]
  private let kinds: [Int]
  private let locals: [LocalTime]
  /// What holds after the last moment; nil if the file says nothing, so that the last local time stays.
  private let rule: ZoneRule?

  package static let utc = ZoneFile(
    moments: [], kinds: [], locals: [LocalTime(offset: 0, isDaylight: false, abbreviation: "UTC")], rule: nil)

  private init(moments: [Int64], kinds: [Int], locals: [LocalTime], rule: ZoneRule?) {
    self.moments = moments
    self.kinds = kinds
    self.locals = locals
    self.rule = rule
  }

  package init(_ bytes: [UInt8]) throws(ZoneFault) {
    var scan = ByteScan(bytes)
    var header = try ZoneHeader(&scan)
    let isLong = header.version > 1
    if isLong {
      // The first block is in 32 bits, for readers of version 1; the second repeats all in 64 (RFC 8536 §3).
      try scan.skip(header.length(width: 4))
      header = try ZoneHeader(&scan)
    }
    let block = try ZoneBlock(&scan, header, width: isLong ? 8 : 4)
    self.init(
      moments: block.moments, kinds: block.kinds, locals: block.locals,
      rule: isLong ? try ZoneFile.footer(&scan) : nil)
  }

  /// The rule between two line ends at the end of the file (RFC 8536 §3.3); nil for an empty one.
  private static func footer(_ scan: inout ByteScan) throws(ZoneFault) -> ZoneRule? {
    guard try scan.byte() == 0x0A else { throw .malformedRule }
    var text: [UInt8] = []
    while true {
      let byte = try scan.byte()
      if byte == 0x0A { break }
      text.append(byte)
    }
    if text.isEmpty { return nil }
    guard let rule = ZoneRule(text) else { throw .malformedRule }
    return rule
  }

  /// In seconds since 1970-01-01T00:00:00Z.
  package func local(at moment: Int64) -> LocalTime {
    // Without any change, the rule holds for all time.
    if moments.last.map({ $0 < moment }) ?? true, let rule { return rule.local(at: moment) }
    // Before the first change, the first local time holds (RFC 8536 §3.2).
    return locals[moments.lastIndex { $0 <= moment }.map { kinds[$0] } ?? 0]
  }

  /// The moments at which clocks show a local time, ascending: usually one, none if clocks were put forward
  /// past it, several if they were put back past it.
  ///
  /// - Parameter local: Seconds from 1970-01-01T00:00:00 as clocks show it.
  package func moments(of local: Int64) -> [Int64] {
    let found = offsets.map { local - $0 }.filter { $0 + self.local(at: $0).offset == local }
    return Set(found).sorted()
  }

  /// The first moment at which clocks show a local time or a later one.
  package func firstMoment(notBefore local: Int64) -> Int64 {
    if let first = moments(of: local).first { return first }
    let offsets = offsets
    // At `low`, clocks certainly show less; at `high`, they do not.
    var low = local - (offsets.max() ?? 0) - 1
    var high = local - (offsets.min() ?? 0)
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if middle + self.local(at: middle).offset < local { low = middle } else { high = middle }
    }
    return high
  }

  private var offsets: [Int64] { locals.map(\.offset) + (rule?.offsets ?? []) }
}

/// What a header announces (RFC 8536 §3.1).
private struct ZoneHeader {
  let version: Int
  let isUTCCount: Int
  let isStandardCount: Int
  let leapCount: Int
  let momentCount: Int
  let localCount: Int
  let letterCount: Int

  init(_ scan: inout ByteScan) throws(ZoneFault) {
    for letter in "TZif".utf8 {
      guard try scan.byte(orElse: .notAZoneFile) == letter else { throw .notAZoneFile }
    }
    switch try scan.byte() {
    case 0: version = 1
    case let digit where (0x32...0x39).contains(digit): version = Int(digit) - 0x30
    default: throw .outOfRange
    }
    try scan.skip(15)
    isUTCCount = Int(try scan.number(4))
    isStandardCount = Int(try scan.number(4))
    leapCount = Int(try scan.number(4))
    momentCount = Int(try scan.number(4))
    localCount = Int(try scan.number(4))
    letterCount = Int(try scan.number(4))
    for count in [isUTCCount, isStandardCount, leapCount, momentCount, localCount, letterCount]
    where !(0...0xFFFF).contains(count) {
      throw .outOfRange
    }
  }

  /// How many bytes the block has if its moments have a certain width.
  func length(width: Int) -> Int {
    momentCount * (width + 1) + localCount * 6 + letterCount + leapCount * (width + 4) + isStandardCount
      + isUTCCount
  }
}

/// RFC 8536 §3.2.
private struct ZoneBlock {
  var moments: [Int64] = []
  var kinds: [Int] = []
  var locals: [LocalTime] = []

  init(_ scan: inout ByteScan, _ header: ZoneHeader, width: Int) throws(ZoneFault) {
    guard (1...256).contains(header.localCount), header.letterCount > 0,
      [0, header.localCount].contains(header.isUTCCount),
      [0, header.localCount].contains(header.isStandardCount)
    else { throw .outOfRange }
    guard header.leapCount == 0 else { throw .leapSeconds }
    guard scan.left >= header.length(width: width) else { throw .tooShort }
    for _ in 0..<header.momentCount {
      let moment = try scan.number(width)
      if let last = moments.last, moment <= last { throw .outOfRange }
      moments.append(moment)
    }
    for _ in 0..<header.momentCount {
      let kind = Int(try scan.byte())
      guard kind < header.localCount else { throw .outOfRange }
      kinds.append(kind)
    }
    var described: [(offset: Int64, isDaylight: Bool, letter: Int)] = []
    for _ in 0..<header.localCount {
      let offset = try scan.number(4)
      let isDaylight = try scan.byte()
      let letter = Int(try scan.byte())
      // The RFC asks writers to stay within a day and an hour to either side.
      guard (-89_999...93_599).contains(offset), isDaylight <= 1, letter < header.letterCount else {
        throw .outOfRange
      }
      described.append((offset, isDaylight == 1, letter))
    }
    var letters: [UInt8] = []
    for _ in 0..<header.letterCount { letters.append(try scan.byte()) }
    for local in described {
      let name = letters[local.letter...].prefix { $0 != 0 }
      guard local.letter + name.count < letters.count, name.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .outOfRange
      }
      locals.append(
        LocalTime(
          offset: local.offset, isDaylight: local.isDaylight,
          abbreviation: String(decoding: name, as: UTF8.self)))
    }
    try scan.skip(header.isStandardCount + header.isUTCCount)
  }
}

private struct ByteScan {
  let bytes: [UInt8]
  var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var left: Int { bytes.count - position }

  mutating func byte(orElse fault: ZoneFault = .tooShort) throws(ZoneFault) -> UInt8 {
    guard position < bytes.count else { throw fault }
    position += 1
    return bytes[position - 1]
  }

  mutating func skip(_ count: Int) throws(ZoneFault) {
    guard count >= 0, count <= left else { throw .tooShort }
    position += count
  }

  /// In two's complement, most significant byte first.
  mutating func number(_ width: Int) throws(ZoneFault) -> Int64 {
    var value: Int64 = 0
    for index in 0..<width {
      let byte = try byte()
      value = index == 0 ? Int64(Int8(bitPattern: byte)) : value << 8 | Int64(byte)
    }
    return value
  }
}
