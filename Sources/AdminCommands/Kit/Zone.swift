import CommandLineKit
import JSON
import Platform
import ReleaseModel

/// A named zone in which people write and read times; JSON is always UTC.
struct Zone {
  let name: String
  let clock: SystemZone

  static let utc = Zone(name: "UTC", clock: .utc)

  /// Whether it is UTC itself, which is written with `Z`.
  private var isUTC: Bool { name == Zone.utc.name }

  /// A moment as RFC 3339 in the zone, such as `2026-12-01T10:00:00+01:00`.
  func text(_ moment: Timestamp) -> String {
    if isUTC { return moment.text }
    let offset = clock.offset(at: moment.seconds)
    let local = Timestamp(seconds: moment.seconds + offset)
    // At either end of the years that can be written, the local time may be out of range.
    guard local.seconds == moment.seconds + offset else { return moment.text }
    return local.text.dropLast() + Zone.text(offset: offset)
  }

  func moments(of local: Timestamp) -> [Timestamp] {
    clock.moments(of: local.seconds).map(Timestamp.init(seconds:))
  }

  /// The first moment at which clocks show a local time or a later one.
  func firstMoment(notBefore local: Timestamp) -> Timestamp {
    Timestamp(seconds: clock.firstMoment(notBefore: local.seconds))
  }

  /// The two moments that a skipped local time would be: with the offset after the clocks went forward, and
  /// with the offset before; in ascending order.
  func moments(around local: Timestamp) -> [Timestamp] {
    let change = clock.firstMoment(notBefore: local.seconds)
    return [clock.offset(at: change), clock.offset(at: change - 1)].map {
      Timestamp(seconds: local.seconds - $0)
    }
  }

  /// Shows a recorded text in the zone if it is a moment as the ledger writes it; leaves any other text as it
  /// is.
  func text(_ text: String) -> String {
    guard !isUTC, text.utf8.count == 20, let moment = try? Timestamp(text), moment.text == text else {
      return text
    }
    return self.text(moment)
  }

  /// Shows the moments that stand in a text as the ledger writes them in the zone, but for those that a person wrote.
  func text(in page: String, butFor given: [String]) -> String {
    guard !isUTC else { return page }
    var (shown, rest) = ([UInt8](), Array(page.utf8)[...])
    while let byte = rest.popFirst() {
      let word = rest.dropFirst(18).first == UInt8(ascii: "Z") ? [byte] + rest.prefix(19) : []
      let written = String(decoding: word, as: UTF8.self)
      let moment = given.contains(written) ? written : text(written)
      shown += moment == written ? [byte] : Array(moment.utf8)
      if moment != written { rest = rest.dropFirst(19) }
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// An offset such as `+01:00`; those of old local times include seconds, which RFC 3339 does not allow.
  private static func text(offset: Int64) -> String {
    func digits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let size = abs(offset)
    let text = (offset < 0 ? "-" : "+") + digits(size / 3_600) + ":" + digits(size / 60 % 60)
    return size % 60 == 0 ? text : text + ":" + digits(size % 60)
  }
}

extension PawlContext {
  /// A text of pawl's with its moments in the zone of the command, but for what a person wrote.
  func inZone(_ text: String, butFor given: [String] = []) -> String { zone.text(in: text, butFor: given) }
}

extension Zone {
  private static let folders = [
    "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo",
    "/var/db/timezone/zoneinfo",
  ]

  /// Reads a zone by its name, such as `Europe/Berlin`, from the system's files or those of `TZDIR`.
  ///
  /// - Throws: `CommandFailure`: `zone.not-found`, `zone.unreadable`.
  static func named(_ name: String, _ context: PawlContext) throws -> Zone {
    if name == "UTC" { return .utc }
    let folders = context.environment("TZDIR").map { [$0] } ?? Zone.folders
    for folder in folders {
      // Debian's zones are links to one another, so the file that a link leads to is read.
      guard let path = try? resolvedPath("\(folder)/\(name)"), let status = try? FileStatus(of: path),
        status.kind == .regular
      else { continue }
      guard let clock = try SystemZone(file: path) else {
        throw CommandFailure("zone.unreadable", ["zone": name, "path": path])
      }
      return Zone(name: name, clock: clock)
    }
    let hasZones = folders.contains { (try? fileNames(in: $0).isEmpty) == false }
    throw CommandFailure(
      hasZones ? "zone.not-found" : "zone.not-found/none", details: ["zone": .string(name)])
  }

  /// Whether a text may name a zone: parts of letters, digits, `+`, `-` and `_`, separated by slashes.
  static func isName(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count) else { return false }
    return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
      part in
      !part.isEmpty
        && part.allSatisfy {
          (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || "+-_".utf8.contains($0)
        }
    }
  }
}

extension ValueType where Value == String {
  static var zone: Self {
    reading("zone.malformed") { Zone.isName($0) ? $0 : nil }
  }
}

/// The zone of times that are written without one, and of times shown to people.
struct ZoneOptions: Sendable {
  let name: String?

  /// The zone, read from the system; UTC if neither `--zone` nor `PAWL_ZONE` names one.
  ///
  /// - Throws: `CommandFailure`: `zone.malformed`, `zone.not-found`, `zone.unreadable`.
  func zone(_ context: PawlContext) throws -> Zone {
    guard let name = name ?? context.environment("PAWL_ZONE") else { return .utc }
    guard Zone.isName(name) else { throw CommandFailure("zone.malformed/environment", ["zone": name]) }
    return try Zone.named(name, context)
  }

  /// The zone of what an answer shows: for programs, whatever `PAWL_ZONE` names, UTC unless `--zone` names
  /// another.
  ///
  /// - Throws: `CommandFailure`, as `zone(_:)` does.
  func zone(for common: CommonOptions, _ context: PawlContext) throws -> Zone {
    common.isJSON && name == nil ? .utc : try zone(context)
  }
}

extension Parameter where Value == ZoneOptions {
  /// The zone in which a command shows times, and reads those that are written without one.
  static var zone: Parameter {
    Parameter<String?>.option(
      "--zone", "ZONE", .zone,
      help: "The time zone of times shown or given, such as Europe/Berlin; default: PAWL_ZONE, else UTC",
      transient: true
    ).map { ZoneOptions(name: $0) }
  }
}
