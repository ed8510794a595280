import ReleaseModel
import TestSupport
import Testing

@Suite struct VersionTests {
  private func fault(_ text: String, components: Int = 4) -> TextFault? {
    do {
      _ = try Version(text, components: components)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "0", "1", "0.0.0.0", "1.2", "1.2.0", "1.10.100", "999999999.999999999.999999999.999999999", "2024.11.3",
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
      (".1", .emptyComponent), ("1.", .emptyComponent), (".", .emptyComponent), ("01.2", .leadingZero),
      ("1.02", .leadingZero), ("00", .leadingZero), ("0.00", .leadingZero), ("0000000000", .leadingZero),
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
    func written(_ random: inout Seeded) -> [Int64] {
      (0...random.below(4)).map { _ in
        random.oneIn(8) ? Int64(random.below(1_000_000_000)) : Int64(random.below(3))
      }
    }
    for _ in 0..<5_000 {
      let (one, other) = (written(&random), written(&random))
      let padded = [one, other].map { $0 + Array(repeating: 0, count: 4 - $0.count) }
      let (left, right) = (try version(text(one)), try version(text(other)))
      #expect((left < right) == padded[0].lexicographicallyPrecedes(padded[1]))
      #expect((left == right) == (padded[0] == padded[1]))
      #expect((left > right) == padded[1].lexicographicallyPrecedes(padded[0]))
      #expect(left.isSpelled(like: right) == (one == other))
      #expect(left != right || left.hashValue == right.hashValue)
      #expect(left.text == text(one))
      #expect(try version(left.text).isSpelled(like: left))
    }
  }

  private func text(_ components: [Int64]) -> String {
    components.map { String($0) }.joined(separator: ".")
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
            && (part == "0" || part.first != "0")
        }
      #expect(isVersion == isExpected, "\(pattern.debugDescription)")
    }
  }
}
