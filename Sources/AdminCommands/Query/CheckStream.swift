import CommandLineKit
import JSON
import Platform
import ReleaseModel

/// Answers `VERSION [OS]` lines with one JSON object per line.
///
/// Apart from the client's version, there are only a few different answers, so the text of each is written
/// once and reused. The answer is found in the schedule; only on a system that some release does not run on is
/// it decided, since a schedule does not say why such a client is told nothing.
struct CheckStream {
  private let decider: Decider
  private let locale: String?
  private let head: Int64
  private let moment: Timestamp?
  private let schedule: Schedule
  /// The system on which every release runs that clients may be pointed at.
  private let newestSystem: Version
  private var out: [UInt8] = []
  private var number = 0
  private var hasBadLine = false
  /// What stands before the client's version in the texts of the schedule's answers, by position, and of
  /// those decided; clients with one answer differ only in the version.
  private var found: [[UInt8]?]
  private var decided: [Told: [UInt8]] = [:]

  private static let longestLine = 4_096
  /// What stands after the version.
  private static let tail = Array("\"}\n".utf8)

  init(_ decider: Decider, locale: String?, head: Int64, at moment: Timestamp?) {
    (self.decider, self.locale, self.head, self.moment) = (decider, locale, head, moment)
    schedule = Schedule(decider.snapshot, from: decider.moment)
    found = Array(repeating: nil, count: schedule.answers.count)
    newestSystem = decider.snapshot.systems.last ?? .zero
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
    bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      for index in bytes.indices where bytes[index] == 0x0A {
        answer(UnsafeBufferPointer(rebasing: bytes[start..<index]))
        start = index + 1
      }
      return start
    }
  }

  private mutating func answer(_ line: UnsafeBufferPointer<UInt8>) {
    number += 1
    guard line.count <= Self.longestLine, let words = Self.words(of: line) else {
      return refuse("line.malformed", "a line is 'VERSION' or 'VERSION OS'")
    }
    guard let word = words.0 else { return refuse("line.malformed", "the line is empty") }
    let version: Version
    do {
      version = try Version(bytes: word)
    } catch {
      return refuse("version.malformed", "invalid version '\(shown(word))': \(error.reason)")
    }
    var os: Version?
    if let word = words.1 {
      do {
        os = try Version(system: String(decoding: word, as: UTF8.self))
      } catch {
        return refuse("version.malformed", "invalid system version '\(shown(word))': \(error.reason)")
      }
    }
    let index = schedule.course(of: version).span(at: decider.moment).value
    let client = Client(version: version, os: os)
    if let os, os < newestSystem {
      let told = schedule.answers[index]
      var decision = decider.decide(client)
      decision.forcedFrom = told.decision(on: os).forcedFrom
      let key = Told(decision, settings: told.settings, remindEvery: told.remindEvery)
      let front = decided[key] ?? front(decision, client, word.count)
      decided[key] = front
      out += front
    } else if let front = found[index] {
      out += front
    } else {
      let front = front(schedule.answers[index].decision, client, word.count)
      found[index] = front
      out += front
    }
    out += word
    out += Self.tail
  }

  /// The one or two words of a line; nil if there are more.
  private static func words(
    of line: UnsafeBufferPointer<UInt8>
  ) -> (UnsafeBufferPointer<UInt8>?, UnsafeBufferPointer<UInt8>?)? {
    var words: (UnsafeBufferPointer<UInt8>?, UnsafeBufferPointer<UInt8>?)
    var rest = line[...]
    while let start = rest.firstIndex(where: { !isBlank($0) }) {
      let end = rest[start...].firstIndex(where: isBlank) ?? rest.endIndex
      guard words.1 == nil else { return nil }
      let word = UnsafeBufferPointer(rebasing: rest[start..<end])
      if words.0 == nil { words.0 = word } else { words.1 = word }
      rest = rest[end...]
    }
    return words
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  private func front(_ decision: Decision, _ client: Client, _ count: Int) -> [UInt8] {
    let answer = CheckAnswer(decider, client, decision, locale: locale, head: head, at: moment)
    // Keys are sorted and "version" comes last, so the version stands between the last quotes.
    return Array(answer.json.bytes().dropLast(2 + count))
  }

  private mutating func refuse(_ id: String, _ message: String) {
    hasBadLine = true
    let error: JSON = ["id": .string(id), "message": .string(printable(message))]
    let line: JSON = ["line": .integer(Int64(number)), "error": error]
    line.write(to: &out)
    out.append(0x0A)
  }

  private func shown(_ word: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: word.prefix(80), as: UTF8.self)
  }
}
