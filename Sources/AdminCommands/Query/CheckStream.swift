import CommandLineKit
import JSON
import Platform
import ReleaseModel

/// Answers `VERSION [OS]` lines with one JSON object per line.
///
/// Apart from the client's version, there are only a few different answers, so the text of each is written
/// once and reused. The answer is found in the schedule; only on a system that some release does not run on is
/// it decided, since a schedule does not say why such a client is told nothing.
struct CheckStream: Sendable {
  private let decider: Decider
  private let snapshot: Snapshot
  private let locale: String?
  private let head: Int64
  private let moment: Timestamp?
  private var out: [UInt8] = []
  private var number = 0
  private var hasBadLine = false
  private let schedule: Schedule
  /// What stands before the client's version in the texts of the schedule's answers, by position, and of
  /// those decided; clients with one answer differ only in the version.
  private var found: [[UInt8]?]
  private var decided: [ReleaseModel.Answer: [UInt8]] = [:]
  /// The system on which every release runs that clients may be pointed at.
  private let newestSystem: Version

  /// What stands after the version.
  private static let tail = Array("\"}\n".utf8)

  private static let longestLine = 4_096

  init(_ decider: Decider, _ snapshot: Snapshot, locale: String?, head: Int64, at moment: Timestamp?) {
    self.decider = decider
    self.snapshot = snapshot
    self.locale = locale
    self.head = head
    self.moment = moment
    schedule = Schedule(snapshot, from: decider.moment)
    found = Array(repeating: nil, count: schedule.answers.count)
    newestSystem = snapshot.systems.last ?? .zero
  }

  /// How many bytes of lines are answered at once, by two threads whose output is printed in order.
  private static let batch = 1 << 18

  /// Answers all lines of standard input.
  ///
  /// - Returns: 65 if any line was bad; the other lines are answered all the same.
  func run(_ context: PawlContext) throws -> ExitCode {
    var (front, back) = (self, self)
    var rest: [UInt8] = []
    while let chunk = try context.readInput() {
      rest.append(contentsOf: chunk)
      guard rest.count >= CheckStream.batch else { continue }
      rest.removeFirst(try CheckStream.answer(rest, by: &front, and: &back, context))
      // Of a line that does not end, keep only enough to show that it is too long.
      if rest.count > CheckStream.longestLine { rest.removeLast(rest.count - CheckStream.longestLine - 1) }
    }
    if let last = rest.last {
      if last != 0x0A { rest.append(0x0A) }
      _ = try CheckStream.answer(rest, by: &front, and: &back, context)
    }
    return front.hasBadLine || back.hasBadLine ? .data : .success
  }

  /// Answers the complete lines of a batch, and returns how many bytes they took.
  private static func answer(
    _ bytes: [UInt8], by front: inout CheckStream, and back: inout CheckStream, _ context: PawlContext
  ) throws -> Int {
    guard let end = bytes.lastIndex(of: 0x0A).map({ $0 + 1 }) else { return 0 }
    // A few lines are not worth a thread.
    let middle = end < longestLine ? end : bytes[(end / 2)...].firstIndex(of: 0x0A).map { $0 + 1 } ?? end
    var later = back
    later.number = front.number + bytes[..<middle].count { $0 == 0x0A }
    let work =
      middle == end
      ? nil
      : BackgroundWork { [later] in
        var stream = later
        bytes.withUnsafeBufferPointer { stream.answerLines(in: $0, middle..<end) }
        return stream
      }
    bytes.withUnsafeBufferPointer { front.answerLines(in: $0, 0..<middle) }
    try front.flush(context)
    if let answered = try work?.finish() {
      back = answered
      try back.flush(context)
      front.number = back.number
    }
    return end
  }

  private mutating func flush(_ context: PawlContext) throws {
    try context.print(out)
    out.removeAll(keepingCapacity: true)
  }

  private mutating func answerLines(in bytes: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) {
    var start = part.lowerBound
    for index in part where bytes[index] == 0x0A {
      answer(UnsafeBufferPointer(rebasing: bytes[start..<index]))
      start = index + 1
    }
  }

  private mutating func answer(_ line: UnsafeBufferPointer<UInt8>) {
    number += 1
    var words: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>?)?
    do {
      words = try CheckStream.words(of: line)
    } catch {
      return refuse("line.malformed", "a line is 'VERSION' or 'VERSION OS'")
    }
    guard let words else { return refuse("line.malformed", "the line is empty") }
    let version: Version
    do {
      version = try Version(bytes: words.0)
    } catch {
      return refuse("version.malformed", "invalid version '\(shown(words.0))': \(error.reason)")
    }
    var os: Version?
    if let word = words.1 {
      do {
        os = try Version(bytes: word, components: 3)
      } catch {
        return refuse("version.malformed", "invalid system version '\(shown(word))': \(error.reason)")
      }
    }
    let place = schedule.position(of: version, at: decider.moment)
    let client = Client(version: version, os: os)
    let front: [UInt8]
    if let os, os < newestSystem {
      let answer = schedule.answers[place]
      var decision = decider.decide(client)
      decision.forcedFrom = answer.decision(on: os).forcedFrom
      let key = ReleaseModel.Answer(decision, settings: answer.settings)
      if let known = decided[key] {
        front = known
      } else {
        front = self.front(decision, client, words.0)
        decided[key] = front
      }
    } else if let known = found[place] {
      front = known
    } else {
      front = self.front(schedule.answers[place].decision, client, words.0)
      found[place] = front
    }
    out.append(contentsOf: front)
    out.append(contentsOf: words.0)
    out.append(contentsOf: CheckStream.tail)
  }

  private func front(_ decision: Decision, _ client: Client, _ word: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let answer = CheckAnswer(decider, snapshot, client, decision, locale: locale, head: head, at: moment)
    // Keys are sorted and "version" comes last, so the version stands between the last quotes.
    return Array(answer.json.bytes().dropLast(2 + word.count))
  }

  private mutating func refuse(_ id: String, _ message: String) {
    hasBadLine = true
    let error: JSON = ["id": .string(id), "message": .string(message)]
    let line: JSON = ["line": .integer(Int64(number)), "error": error]
    line.write(to: &out)
    out.append(0x0A)
  }

  private func shown(_ word: UnsafeBufferPointer<UInt8>) -> String {
    printable(String(decoding: word.prefix(80), as: UTF8.self), limit: 80)
  }

  private struct TooManyWords: Error {}

  private static func words(
    of line: UnsafeBufferPointer<UInt8>
  ) throws(TooManyWords) -> (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>?)? {
    guard line.count <= longestLine else { throw TooManyWords() }
    var first: UnsafeBufferPointer<UInt8>?
    var second: UnsafeBufferPointer<UInt8>?
    var index = 0
    while index < line.count {
      if isBlank(line[index]) {
        index += 1
        continue
      }
      let start = index
      while index < line.count, !isBlank(line[index]) { index += 1 }
      let word = UnsafeBufferPointer(rebasing: line[start..<index])
      if first == nil {
        first = word
      } else if second == nil {
        second = word
      } else {
        throw TooManyWords()
      }
    }
    return first.map { ($0, second) }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
