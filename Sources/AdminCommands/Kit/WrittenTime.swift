import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// What the time in an option is for: the only table of which way a duration counts and which end of a date
/// is meant.
struct TimeUse: Sendable {
  enum Direction { case forward, back }
  enum Edge { case start, end, lastSecond }

  /// Which way from now a duration counts; nil if durations are not allowed.
  let direction: Direction?
  let edge: Edge

  /// When something starts to count: `--from`, `--grace`.
  static let start = TimeUse(direction: .forward, edge: .start)
  /// The first moment at which something no longer counts: `--until`.
  static let end = TimeUse(direction: .forward, edge: .end)
  /// The moment a question is about: `--at` of `check`, `export` and `report`.
  static let question = start
  /// When something happened: `--at` of `mark`.
  static let happening = TimeUse(direction: nil, edge: .start)
  /// Where a look back starts: `--since`.
  static let since = TimeUse(direction: .back, edge: .start)
  /// Where a look back ends: `--until` of `history`.
  static let upTo = TimeUse(direction: .back, edge: .end)
  /// The moment in the past that a question goes back to: `--as-of`; what is recorded at midnight belongs to the
  /// next day.
  static let asOf = TimeUse(direction: .back, edge: .lastSecond)
}

/// A time as it was written; only a zone and a clock make it a moment.
struct WrittenTime: Sendable {
  private enum Form: Sendable {
    case moment(Timestamp)
    case span(TimeSpan)
    /// What clocks show on a day, stored as if it were UTC.
    case local(Timestamp)
    /// A day, stored as its midnight as if it were UTC.
    case date(Timestamp)
  }

  private let use: TimeUse
  private let text: String
  private let form: Form

  init(_ text: String, _ use: TimeUse) throws(TextFault) {
    self.use = use
    self.text = text
    if use.direction != nil, let span = TimeSpan(text) {
      form = .span(span)
      return
    }
    // People leave out the seconds, which RFC 3339 demands.
    var whole = text
    let bytes = Array(text.utf8)
    if bytes.count > 16, bytes[13] == UInt8(ascii: ":"), bytes[16] != UInt8(ascii: ":") {
      whole = String(decoding: bytes[..<16] + ":00".utf8 + bytes[16...], as: UTF8.self)
    }
    do throws(TextFault) {
      form = .moment(try Timestamp(whole))
    } catch .noZone where text.utf8.count == 10 {
      form = .date(try Timestamp(text + "T00:00:00Z"))
    } catch .noZone {
      form = .local(try Timestamp(text + "Z"))
    } catch .malformed where text.utf8.count == 16 {
      form = .local(try Timestamp(text + ":00Z"))
    }
  }

  /// - Throws: `CommandFailure`: `time.ambiguous`, `time.skipped`, and what reading the zone throws.
  func moment(now: Timestamp, _ zone: ZoneOptions, _ context: PawlContext) throws -> Timestamp {
    switch form {
    case .moment(let moment): return moment
    case .span(let span): return use.direction == .back ? now - span : now + span
    case .date(let midnight): return moment(ofDay: midnight, try zone.zone(context))
    case .local(let local): return try moment(of: local, try zone.zone(context))
    }
  }

  private func moment(ofDay midnight: Timestamp, _ zone: Zone) -> Timestamp {
    let day = TimeSpan(seconds: 86_400)
    switch use.edge {
    case .start: return zone.firstMoment(notBefore: midnight)
    case .end: return zone.firstMoment(notBefore: midnight + day)
    case .lastSecond: return zone.firstMoment(notBefore: midnight + day) - TimeSpan(seconds: 1)
    }
  }

  private func moment(of local: Timestamp, _ zone: Zone) throws -> Timestamp {
    let moments = zone.moments(of: local)
    if moments.count == 1, let moment = moments.first { return moment }
    let readings = (moments.isEmpty ? zone.moments(around: local) : moments).map(zone.text)
    throw CommandFailure(
      moments.isEmpty ? "time.skipped" : "time.ambiguous",
      ["time": text, "choices": readings.joined(separator: " or ")],
      details: ["readings": readings.json, "zone": .string(zone.name)])
  }
}

/// A point in the past as it was written: a time, or the number of an event.
enum WrittenPoint: Sendable {
  case time(WrittenTime)
  case event(Int64)

  func point(now: Timestamp, _ zone: ZoneOptions, _ context: PawlContext) throws -> PastPoint {
    switch self {
    case .time(let time): .moment(try time.moment(now: now, zone, context))
    case .event(let seq): .event(seq)
    }
  }
}

extension ValueType where Value == WrittenTime {
  static func time(_ use: TimeUse) -> Self {
    guard let direction = use.direction else { return reading("time.malformed") { try WrittenTime($0, use) } }
    let (way, sign): (String, Character) = direction == .forward ? ("from now", "+") : ("ago", "-")
    return reading("time.malformed/from-now", ["way": way], meant: { String($0.drop { $0 == sign }) }) {
      try TimeSpan.checkLength(of: $0)
      return try WrittenTime($0, use)
    }
  }
}

extension ValueType where Value == WrittenPoint {
  static var pastPoint: Self {
    reading("time.malformed/point") {
      try Int64(digits: $0).map(WrittenPoint.event) ?? .time(WrittenTime($0, .asOf))
    }
  }
}
