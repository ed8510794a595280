struct ZoneBytes {
  var version: UInt8 = 0x32
  var moments: [Int64] = []
  var kinds: [UInt8] = []
  var locals: [(Int64, UInt8, UInt8)] = [(0, 0, 0)]
  var letters = "UTC\0"
  var footer = "UTC0"
  var leapCount = 0

  static var berlin: ZoneBytes {
    ZoneBytes(
      moments: [1_774_746_000, 1_792_890_000], kinds: [1, 0], locals: [(3_600, 0, 0), (7_200, 1, 4)],
      letters: "CET\0CEST\0", footer: "CET-1CEST,M3.5.0,M10.5.0/3")
  }

  var bytes: [UInt8] {
    if version == 0 { return block(width: 4) }
    return block(width: 4) + block(width: 8) + Array("\n\(footer)\n".utf8)
  }

  private func block(width: Int) -> [UInt8] {
    var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, leapCount, moments.count, locals.count, letters.utf8.count] {
      bytes += number(Int64(count), 4)
    }
    for moment in moments { bytes += number(moment, width) }
    bytes += kinds
    for local in locals { bytes += number(local.0, 4) + [local.1, local.2] }
    bytes += Array(letters.utf8)
    return bytes + [UInt8](repeating: 0, count: leapCount * (width + 4))
  }

  private func number(_ value: Int64, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) }
  }
}
