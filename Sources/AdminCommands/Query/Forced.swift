import CommandLineKit
import JSON
import Ledger
import ReleaseModel

/// Whom an app forces at a moment, by a rule, a mandatory release or its policy.
struct Forced {
  let at: Timestamp
  /// The release whose hold ends then; nil for the present.
  let release: Version?
  let ranges: [VersionRange]
  /// How many recorded versions there are in the ranges, and how many devices run versions in them.
  let versions: Int
  let devices: Int64?

  /// Now, and at the end of each running hold.
  static func all(in snapshot: Snapshot, _ ledger: Ledger, now: Timestamp) throws -> [Forced] {
    let held = snapshot.line.releases.compactMap { release in
      release.isHeld(at: now) ? release.visibleAt.map { (release.version, $0) } : nil
    }
    let usage = try ledger.usage(of: snapshot.line.app.slug)
    return try ([(nil, now)] + held).map { release, moment in
      let ranges = snapshot.forced(at: moment)
      let versions = try ranges.reduce(0) {
        try $0 + ledger.versionCount(of: snapshot.line.app.slug, from: $1.start, to: $1.end)
      }
      return Forced(
        at: moment, release: release, ranges: ranges, versions: versions,
        devices: usage.map { usage in ranges.reduce(0) { $0 + usage.part(of: $1).devices } })
    }
  }

  var json: JSON {
    [
      "at": .string(at.text), "devices": .optional(devices),
      "ranges": .array(ranges.map { .string($0.text) }),
      "release": .optional(release?.text), "versions": .integer(Int64(versions)),
    ]
  }
}
