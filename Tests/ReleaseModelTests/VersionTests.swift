import ReleaseModel
import TestSupport
import Testing

@Suite struct VersionTests {
  private func fault(_ text: String, components: Int = 4) -> TextFault? {
    do { _ = try Version(text, components: components) } catch { return error }
    return nil
  }

  @Test(arguments: [
    "0", "1", "0.0.0.0", "1.2", "1.2.0", "1.10.100", "999999999.999999999.999999999.999999999", "2024.11.3",
    "1.02", "01.2", "24.02.0", "00", "0.00", "2.00.27", "000000000.000000001.00.010",
  ])
  func `a version is shown as it was written`(text: String) throws {
    #expect(try version(text).text == text)
    #expect(try version(text).count == text.split(separator: ".").count)
  }

  @Test func `components not written count as 0`() throws {
    let short = try version("7.3")
    #expect((0..<6).map { short.component($0) } == [7, 3, 0, 0, 0, 0])
    #expect(try (-1..<5).map(version("1.2.3.4").component) == [0, 1, 2, 3, 4, 0])
  }

  @Test(
    arguments: [
      ("", .empty), ("v1.2", .notANumber("v")), ("1.2b1", .notANumber("b")), ("1..2", .emptyComponent),
      (".1", .emptyComponent), ("1.", .emptyComponent), (".", .emptyComponent), ("0000000000", .tooLong),
      ("1.0000000002", .tooLong),
      ("1.2.3.4.5", .tooManyComponents(allowed: 4)), ("4294967296.1", .tooLong), ("1.1234567890", .tooLong),
      ("-1", .notANumber("-")), ("1.-2", .notANumber("-")), ("+1", .notANumber("+")),
      ("１.２", .notANumber("１")),
      ("1.２", .notANumber("２")), ("٣", .notANumber("٣")), (" ", .notANumber(" ")), (" 1.2", .notANumber(" ")),
      ("1.2 ", .notANumber(" ")), ("1. 2", .notANumber(" ")), ("1.2\n", .notANumber("\n")),
      ("1\t", .notANumber("\t")), ("1,2", .notANumber(",")), ("1.2-3", .notANumber("-")),
      ("1.2\0", .notANumber("\0")), ("1.2🦉", .notANumber("🦉")), ("0x10", .notANumber("x")),
      ("1e3", .notANumber("e")),
    ] as [(String, TextFault)])
  func `text that is not a version is refused with its reason`(text: String, reason: TextFault) {
    #expect(fault(text) == reason)
  }

  @Test func `the App Store takes three components, an enterprise app four`() throws {
    #expect(Channel.appStore.versionComponents == 3)
    #expect(Channel.enterprise.versionComponents == 4)
    #expect(fault("1.2.3.4", components: 3) == .tooManyComponents(allowed: 3))
    #expect(fault("1.2.3", components: 3) == nil)
    #expect(fault("1.2.3.4.5", components: 9) == .tooManyComponents(allowed: 4))
  }

  @Test func `a component has nine digits at most`() throws {
    #expect(try version("999999999").component(0) == 999_999_999)
    #expect(fault("1000000000") == .tooLong)
  }

  @Test func `versions are ordered by their components`() throws {
    var random = Seeded(1)
    func written(_ random: inout Seeded) -> [String] {
      (0..<random.below(4) + 1).map { _ in
        let digits = String(random.oneIn(8) ? random.below(1_000_000_000) : random.below(3))
        return random.oneIn(4)
          ? String((String(repeating: "0", count: random.below(8)) + digits).suffix(9)) : digits
      }
    }
    for _ in 0..<5_000 {
      let (one, other) = (written(&random), written(&random))
      let padded = [one, other].map { $0.compactMap { Int64($0) } + Array(repeating: 0, count: 4 - $0.count) }
      let (left, right) = (try version(one.joined(separator: ".")), try version(other.joined(separator: ".")))
      #expect((left < right) == padded[0].lexicographicallyPrecedes(padded[1]))
      #expect((left == right) == (padded[0] == padded[1]))
      #expect((left > right) == padded[1].lexicographicallyPrecedes(padded[0]))
      #expect(left.isSpelled(like: right) == (one == other))
      #expect(left != right || left.hashValue == right.hashValue)
      #expect(left.text == one.joined(separator: "."))
      #expect(left.hasZeros == one.contains { $0.count > 1 && $0.first == "0" })
      #expect(
        left.withoutZeros == left && !left.withoutZeros.hasZeros && left.withoutZeros.count == left.count)
      #expect(VersionKey(left).text == VersionKey(left.withoutZeros).text)
      #expect(try version(left.text).isSpelled(like: left))
    }
  }

  @Test func `a system has up to three numbers without zeros before them`() throws {
    for text in ["16.4.0.1", "16.04", "016", "00"] {
      #expect(throws: TextFault.self) { try Version(system: text) }
    }
    for text in ["0", "16", "16.4", "10.16.0"] { #expect(try Version(system: text).text == text) }
  }

  @Test func `builds are compared as numbers of any length`() throws {
    var random = Seeded(7)
    func written(_ random: inout Seeded) -> [UInt64] {
      let most = [1, 10, 1_000_000_000_000_000_000][random.below(3)]
      return (0..<random.below(4) + 1).map { _ in UInt64(random.below(most)) }
    }
    func text(_ components: [UInt64]) -> String { components.map { String($0) }.joined(separator: ".") }
    for _ in 0..<5_000 {
      let (one, other) = (written(&random), written(&random))
      guard text(one).count <= Build.maximumLength, text(other).count <= Build.maximumLength else {
        for long in [one, other].map(text) where long.count > Build.maximumLength {
          #expect(throws: TextFault.self) { try Build(long) }
        }
        continue
      }
      let padded = [one, other].map { $0 + Array(repeating: 0, count: 4 - $0.count) }
      let (left, right) = (try Build(text(one)), try Build(text(other)))
      #expect((left < right) == padded[0].lexicographicallyPrecedes(padded[1]))
      #expect((left == right) == (padded[0] == padded[1]))
      #expect(left != right || left.hashValue == right.hashValue)
      #expect(left.text == text(one) && left.isSpelled(like: right) == (one == other))
      if let next = left.next { #expect(left < next && next.text.count <= Build.maximumLength) }
    }
  }

  @Test(arguments: [
    ("1", "2"), ("999999999", "1000000000"), ("202610022047", "202610022048"), ("1.7.0.6", "1.7.0.7"),
    ("12345678.123456789", "12345678.123456790"), ("1.9999999999999999", "2"), ("999999999999999999", nil),
  ])
  func `the next build is the least that is greater and has room`(build: String, next: String?) throws {
    #expect(try Build(build).next?.text == next)
  }

  @Test(arguments: [
    "", "01", "1.02", "1..2", "1.2.3.4.5", "1234567890123456789", "1.2-3", "-1", " 1", "1a", "١",
  ])
  func `text that is not a build is refused`(text: String) {
    #expect(throws: TextFault.self) { try Build(text) }
  }

  @Test func `random bytes are read as a version only if they are one`() {
    var random = Seeded(2)
    let bytes: [UInt8] = Array("0123456789..v- ".utf8) + [0xFF, 0xC3, 0xEF, 0xBC, 0x91, 0]
    for _ in 0..<5_000 {
      let text = (0..<random.below(14)).map { _ in random.pick(bytes) ?? 0 }
      let pattern = String(decoding: text, as: UTF8.self)
      let isVersion = text.withUnsafeBufferPointer { (try? Version(bytes: $0)) != nil }
      let parts = pattern.split(separator: ".", omittingEmptySubsequences: false)
      let isExpected =
        (1...4).contains(parts.count)
        && parts.allSatisfy { part in
          (1...9).contains(part.utf8.count) && part.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        }
      #expect(isVersion == isExpected, "\(pattern.debugDescription)")
    }
  }
}
