import ReleaseModel
import TestSupport
import Testing

@Suite struct VersionRangeTests {
  private func fault(_ text: String) -> TextFault? {
    do { _ = try VersionRange(text) } catch { return error }
    return nil
  }

  private func members(_ text: String, of candidates: [String]) throws -> [String] {
    let range = try range(text)
    return try candidates.filter { range.contains(try version($0)) }
  }

  @Test(arguments: [
    ("7.2", ["7.2", "7.2.0"]), ("all", ["5", "6", "6.0.1", "7.2", "7.2.0", "7.2.0.1", "7.3", "8"]),
    ("<7.2", ["5", "6", "6.0.1"]), ("below:7.2", ["5", "6", "6.0.1"]),
    ("<=7.2", ["5", "6", "6.0.1", "7.2", "7.2.0"]), ("upto:7.2", ["5", "6", "6.0.1", "7.2", "7.2.0"]),
    (">7.2", ["7.2.0.1", "7.3", "8"]), ("above:7.2", ["7.2.0.1", "7.3", "8"]),
    (">=7.2", ["7.2", "7.2.0", "7.2.0.1", "7.3", "8"]),
    ("from:7.2", ["7.2", "7.2.0", "7.2.0.1", "7.3", "8"]),
    ("6.0..7.2", ["6", "6.0.1", "7.2", "7.2.0"]), (">=6 <7.2", ["6", "6.0.1"]),
    ("above:6 upto:7.2", ["6.0.1", "7.2", "7.2.0"]), ("all <6", ["5"]),
    ("6..8 >6 <7.3", ["6.0.1", "7.2", "7.2.0", "7.2.0.1"]),
    ("  >=6\t<=6  ", ["6"]),
  ])
  func `every form of range contains the versions it says`(text: String, expected: [String]) throws {
    let candidates = ["5", "6", "6.0.1", "7.2", "7.2.0", "7.2.0.1", "7.3", "8"]
    #expect(try members(text, of: candidates) == expected)
  }

  @Test(arguments: [
    ("all", "all"), ("7.2.1", "7.2.1"), ("<7.3", "below:7.3"), ("<=7.2", "upto:7.2"), (">6", "above:6"),
    (">=6.0", "from:6.0"), ("6.0..7.2", "6.0..7.2"), (">=6 <=7", "6..7"), (">=6 <7", "from:6 below:7"),
    (">6 <=7", "above:6 upto:7"), ("<7 >6", "above:6 below:7"), ("6..6", "6"), (">=6 <=6.0", "6"),
    ("all all", "all"), ("<8 <7 <9", "below:7"), (">=6 >6", "above:6"), ("<=7 <7", "below:7"),
  ])
  func `the words of a range need no quoting and mean the same range`(text: String, words: String) throws {
    #expect(try range(text).text == words)
    #expect(try range(words).text == words)
    #expect(try range(words) == range(text))
    #expect(!words.contains { "<>=".contains($0) })
  }

  @Test(
    arguments: [
      ("", .empty), ("   ", .empty), ("7..6", .nothingInside), (">7 <7", .nothingInside),
      (">=7 <7", .nothingInside), (">7 <=7.0", .nothingInside), (">8 <7", .nothingInside),
      ("6 7", .nothingInside), (">1 <1.0.0.1", .nothingInside), (">=1.0.0.1 <1.0.0.1", .nothingInside),
      (">999999999.999999999.999999999.999999999", .nothingInside),
      ("6 >6", .nothingInside), ("v7", .version("v7", .notANumber("v"))), ("<", .version("", .empty)),
      ("below:", .version("", .empty)), ("..", .version("", .empty)), ("6..", .version("", .empty)),
      ("..7", .version("", .empty)), ("6...7", .version(".7", .emptyComponent)),
      ("< 7", .version("", .empty)),
      ("ALL", .version("ALL", .notANumber("A"))), ("=7", .version("=7", .notANumber("="))),
      ("==7", .version("==7", .notANumber("="))), ("=<7", .version("=<7", .notANumber("="))),
      ("<>7", .version(">7", .notANumber(">"))), ("below:7,8", .version("7,8", .notANumber(","))),
      ("6-7", .version("6-7", .notANumber("-"))), ("<７", .version("７", .notANumber("７"))),
      ("7.0000000002", .version("7.0000000002", .tooLong)),
      ("<1.2.3.4.5", .version("1.2.3.4.5", .tooManyComponents(allowed: 4))),
    ] as [(String, TextFault)])
  func `text that is not a range is refused with its reason`(text: String, reason: TextFault) {
    #expect(fault(text) == reason)
  }

  @Test func `a range below 0 is refused as empty`() {
    #expect(fault("<0") == .nothingInside)
    #expect(fault("below:0.0") == .nothingInside)
    #expect(fault("upto:0") == nil)
  }

  @Test func `only a range of one version has an exact version`() throws {
    #expect(try range("7.2").exactVersion == version("7.2"))
    #expect(try range("7.2..7.2.0").exactVersion == version("7.2"))
    for text in ["all", "<7", "<=7", ">7", ">=7", "6..7", ">6 <7"] {
      #expect(try range(text).exactVersion == nil)
    }
    #expect(try VersionRange.exactly(version("1.2.0")) == range("1.2"))
    #expect(VersionRange.all.contains(try version("0")))
  }

  @Test func `membership, words and overlap agree with a reading term by term`() throws {
    var random = Seeded(3)
    // One candidate between any two that a range may name, so that a range with nothing inside shows.
    let written = ["0", "1", "1.0.1", "1.2", "1.2.0.2", "2", "9.9"]
    let between = ["0.5", "1.0.0.7", "1.1", "1.2.0.1", "1.9", "9", "10"]
    var candidates: [Version] = []
    for (one, other) in zip(written, between) { candidates += [try version(one), try version(other)] }

    func term(_ random: inout Seeded) throws -> (String, (Version) -> Bool) {
      let text = random.pick(written) ?? "1"
      let bound = try version(text)
      switch random.below(7) {
      case 0: return (text, { $0 == bound })
      case 1: return ((random.oneIn(2) ? "<" : "below:") + text, { $0 < bound })
      case 2: return ((random.oneIn(2) ? "<=" : "upto:") + text, { !($0 > bound) })
      case 3: return ((random.oneIn(2) ? ">" : "above:") + text, { $0 > bound })
      case 4: return ((random.oneIn(2) ? ">=" : "from:") + text, { !($0 < bound) })
      case 5:
        let end = random.pick(written) ?? "2"
        let last = try version(end)
        return ("\(text)..\(end)", { !($0 < bound) && !($0 > last) })
      default: return ("all", { _ in true })
      }
    }
    var read: [(VersionRange, [Bool])] = []
    for _ in 0..<3_000 {
      let terms = try (0...random.below(3)).map { _ in try term(&random) }
      let text = terms.map(\.0).joined(separator: " ")
      let expected = candidates.map { candidate in terms.allSatisfy { $0.1(candidate) } }
      do throws(TextFault) {
        let range = try VersionRange(text)
        #expect(candidates.map { range.contains($0) } == expected, "\(text)")
        let again = try VersionRange(range.text)
        #expect(again == range, "\(text) as \(range.text)")
        if read.count < 300 { read.append((range, expected)) }
      } catch {
        #expect(error == .nothingInside, "\(text)")
        #expect(!expected.contains(true), "\(text)")
      }
    }
    for (one, members) in read {
      for (other, others) in read {
        let common = zip(members, others).contains { $0 && $1 }
        #expect(one.overlaps(other) == common, "\(one.text) and \(other.text)")
      }
    }
  }
}
