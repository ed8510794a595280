import AppleIntake
import CommandLineKit
import JSON
import ReleaseModel

/// Where a file of past releases comes from, if people did not write it.
enum PastSource: String, CaseIterable {
  case asc
}

enum ConnectPast {
  /// The versions in an answer, or in an array of its pages, that were in the store on the app's platform.
  static func lines(of bytes: [UInt8], about app: App, _ context: PawlContext) throws -> PastFile.Lines {
    var lines: PastFile.Lines = []
    // The number of entries in the file so far, including those of other platforms.
    var entry = 0
    let tree = try ConnectAnswer.tree(of: bytes)
    for page in tree.array ?? [tree] {
      let answer = try ConnectAnswer(page, appleID: app.appleID)
      if tree.array == nil { context.noteOnePage(answer) }
      for version in answer.versions {
        entry += 1
        if version.platform == app.platform, let line = line(entry, version) { lines.append(line) }
      }
    }
    return lines
  }

  /// The line of a version; nil for a version that is still under way.
  private static func line(_ number: Int, _ version: ConnectVersion) -> PastFile.Lines.Element? {
    func refused(_ id: String, _ why: String) -> PastFile.Lines.Element {
      .failure(RefusedLine(number, version.versionText, id: id, why))
    }
    switch version.state {
    case .live, .superseded:
      guard let date = version.datedAt else { return refused("time.malformed", "it has no date") }
      return Result { () throws(RefusedLine) in
        try PastRelease(
          line: number, version: version.versionText, releasedAt: date.text,
          build: version.build?.text ?? "", minOS: version.minOS?.text ?? "", notes: [])
      }
    case .removed:
      return refused(
        "import.removed", "it was taken off the store: publish it, and mark it live and removed")
    case nil:
      return refused(
        "import.unknown-state",
        "its state '\(printable(version.stateName, limit: 60))' has a name that this version of pawl does not know"
      )
    default: return nil
    }
  }
}
