import CommandLineKit
import JSON
import ReleaseModel

/// Answers `VERSION [OS]` lines, one JSON object a line.
///
/// Everything of an answer but the client's version is one of few texts, so these are written once for each
/// decision; the decision itself is made anew for every line.
struct CheckStream {
  private let decider: Decider
  private let snapshot: Snapshot
  private let locale: String?
  private let head: Int64
  private var out: [UInt8] = []
  private var number = 0
  private var hasBadLine = false
  /// What an answer says around the client's version, which is all in which answers told alike may differ.
  private var written: [Told: (front: [UInt8], back: [UInt8])] = [:]
  private let hasSettings: Bool

  /// The longest line that is read, in bytes.
  private static let longestLine = 4_096
  private static let chunk = 1 << 16

  init(_ decider: Decider, _ snapshot: Snapshot, locale: String?, head: Int64) {
    self.decider = decider
    self.snapshot = snapshot
    self.locale = locale
    self.head = head
    hasSettings = !snapshot.line.settings.isEmpty
    out.reserveCapacity(CheckStream.chunk * 2)
  }

  /// Reads to the end of standard input.
  ///
  /// - Returns: 65 where some line was bad, the others being answered all the same.
  consuming func run(_ context: PawlContext) throws -> ExitCode {
    var stream = self
    var rest: [UInt8] = []
    while let chunk = try context.readInput() {
      rest.append(contentsOf: chunk)
      let used = rest.withUnsafeBufferPointer { stream.answerLines(in: $0) }
      rest.removeFirst(used)
      // Of a line without end no more is kept than shows that it is too long.
      if rest.count > CheckStream.longestLine { rest.removeLast(rest.count - CheckStream.longestLine - 1) }
      if stream.out.count >= CheckStream.chunk { try stream.flush(context) }
    }
    if !rest.isEmpty {
      rest.append(0x0A)
      _ = rest.withUnsafeBufferPointer { stream.answerLines(in: $0) }
    }
    try stream.flush(context)
    return stream.hasBadLine ? .data : .success
  }

  private mutating func flush(_ context: PawlContext) throws {
    try context.writeOutput(out)
    out.removeAll(keepingCapacity: true)
  }

  /// Answers the whole lines of a buffer and returns how many bytes they took.
  private mutating func answerLines(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var start = 0
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0x0A {
        answer(UnsafeBufferPointer(rebasing: bytes[start..<index]))
        start = index + 1
      }
      index += 1
    }
    return start
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
    let decision = decider.decide(Client(version: version, os: os))
    let settings = hasSettings ? decider.settings(of: version, inReview: decision.review) : [:]
    let told = Told(decision, settings: settings)
    if let text = written[told] {
      out.append(contentsOf: text.front)
      out.append(contentsOf: words.0)
      out.append(contentsOf: text.back)
      return
    }
    write(decision, settings, Client(version: version, os: os), told, words.0)
  }

  /// Writes an answer, and keeps what stands around the version in it.
  private mutating func write(
    _ decision: Decision, _ settings: [String: String], _ client: Client, _ told: Told,
    _ word: UnsafeBufferPointer<UInt8>
  ) {
    let answer = CheckAnswer(decider, snapshot, client, decision, locale: locale, head: head)
    // Keys are sorted and "version" comes last, so the version stands between the last quotes.
    let bytes = answer.json.bytes()
    let tail = Array("\"}\n".utf8)
    let front = Array(bytes.dropLast(2 + word.count))
    out.append(contentsOf: front)
    out.append(contentsOf: word)
    out.append(contentsOf: tail)
    written[told] = (front, tail)
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

  /// The one or two words of a line; nil for a blank one.
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
