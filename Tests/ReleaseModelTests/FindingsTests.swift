import TestSupport
import Testing

@testable import ReleaseModel

@Suite struct FindingsTests {
  @Test(arguments: [
    ("all", nil), ("7.2.6", nil), ("7.2.7", "7.2.6"), ("726", "7.2.6"), ("above:7.2.6 below:7.4", "7.2.6"),
    ("7.3..7.3.9", "7.2.6"), ("below:6.0", "6.0"), ("above:8.1", "8.1"), ("7.9..8.0", "8.1"), ("9.0", "8.1"),
    ("above:7.2.6 below:8.1", "8.1"),
  ])
  func `the recorded version nearest to a range is found`(text: String, nearest: String?) throws {
    var releases: [Release] = []
    for (index, text) in ["6.0", "7.2.6", "7.4", "8.1"].enumerated() {
      // What was struck out is not recorded as far as this goes.
      releases.append(try sampleRelease(text, text == "7.4" ? .void : .superseded, id: Int64(index + 1)))
    }
    let line = AppState(app: sampleApp(), releases: releases)
    #expect(line.nearest(to: try range(text))?.text == nearest)
    #expect(AppState(app: sampleApp()).nearest(to: try range(text)) == nil)
  }

  @Test func `ranges cover and meet as their versions do`() throws {
    let texts = [
      "all", "1", "1.0.0.1", "below:1", "upto:1", "above:1", "from:1", "1..2", "above:1 below:2", "from:0",
      "above:1 upto:2", "below:2", "2",
    ]
    let versions = try ["0", "0.9", "1", "1.0.0.1", "1.5", "2", "3"].map { try version($0) }
    for one in try texts.map({ try range($0) }) {
      for other in try texts.map({ try range($0) }) {
        let both = one.intersection(other)
        #expect((both != nil) == one.overlaps(other), "\(one.text) and \(other.text)")
        for version in versions {
          #expect(
            (both?.contains(version) ?? false) == (one.contains(version) && other.contains(version)),
            "\(version.text) in \(one.text) and \(other.text)")
          if one.covers(other) { #expect(!other.contains(version) || one.contains(version)) }
        }
        #expect(one.covers(other) == (both == other), "\(one.text) and \(other.text)")
        let inside = versions.positions(from: one.start, to: one.end)
        #expect(versions.indices.allSatisfy { inside.contains($0) == one.contains(versions[$0]) })
      }
    }
  }
}
