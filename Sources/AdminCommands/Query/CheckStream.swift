import CommandLineKit
import JSON
import Platform
import ReleaseModel

/// Answers `VERSION [OS]` lines with one JSON object per line.
///
/// Clients have few versions and systems, so the answer to each line is kept for the next one that says the same.
struct CheckStream {
  private let decider: Decider
  private let locale: String?
  private let head: Int64
  private let moment: Timestamp?
  private var out: [UInt8] = []
  private var number = 0
  private var hasBadLine = false
  private var known: [ArraySlice<UInt8>: [UInt8]] = [:]
  /// How many bytes are kept.
  private var size = 0

  private static let longestLine = 4_096
  private static let mostKept = 16 << 20

  init(_ decider: Decider, locale: String?, head: Int64, at moment: Timestamp?) {
    (self.decider, self.locale, self.head, self.moment) = (decider, locale, head, moment)
  }

  /// Answers all lines of standard input.
  ///
  /// - Parameter rest: What was read of it already.
  /// - Returns: 65 if any line was bad; the other lines are answered all the same.
  mutating func run(_ context: PawlContext, after rest: [UInt8]) throws -> ExitCode {
    var rest = rest
    context.announceInput()
    rest.removeFirst(answerLines(in: rest))
    while let chunk = try context.readInput() {
      rest.append(contentsOf: chunk)
      rest.removeFirst(answerLines(in: rest))
      // Of a line that does not end, keep only enough to show that it is too long.
      if rest.count > Self.longestLine { rest.removeLast(rest.count - Self.longestLine - 1) }
      try context.print(out)
      out.removeAll(keepingCapacity: true)
    }
    if !rest.isEmpty { _ = answerLines(in: rest + [0x0A]) }
    try context.print(out)
    return hasBadLine ? .data : .success
  }

  /// Answers the complete lines, and returns how many bytes they took.
  private mutating func answerLines(in bytes: [UInt8]) -> Int {
    var start = 0
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      answer(bytes[start..<end])
      start = end + 1
    }
    return start
  }

  private mutating func answer(_ line: ArraySlice<UInt8>) {
    number += 1
    if let text = known[line] {
      out += text
      return
    }
    let blanks = Array(" \t\r".utf8)
    let words = line.prefix(Self.longestLine + 1).split(whereSeparator: blanks.contains)
      .map { String(decoding: $0, as: UTF8.self) }
    guard line.count <= Self.longestLine, words.count <= 2 else {
      return refuse("line.malformed", "a line is 'VERSION' or 'VERSION OS'")
    }
    guard let first = words.first else { return refuse("line.malformed", "the line is empty") }
    let version: Version
    do {
      version = try Version(first)
    } catch {
      return refuse("version.malformed", "invalid version '\(first.prefix(80))': \(error.reason)")
    }
    let os: Version?
    do {
      os = try words.dropFirst().last.map { word throws(TextFault) in try Version(system: word) }
    } catch {
      return refuse("version.malformed", "invalid system version '\(words[1].prefix(80))': \(error.reason)")
    }
    let client = Client(version: version, os: os)
    let text =
      CheckAnswer(decider, client, locale: locale, head: head, at: moment).json.bytes() + [0x0A]
    size += line.count + text.count
    if size > Self.mostKept { (known, size) = ([:], line.count + text.count) }
    known[Array(line)[...]] = text
    out += text
  }

  private mutating func refuse(_ id: String, _ message: String) {
    hasBadLine = true
    let error: JSON = ["id": .string(id), "message": .string(printable(message))]
    let line: JSON = ["line": .integer(Int64(number)), "error": error]
    line.write(to: &out)
    out.append(0x0A)
  }
}
