import CommandLineKit
import JSON
import ReleaseModel

/// A release in words, made from what an answer says of it.
enum ReleaseText {
  /// What was, what is, and from when clients are told.
  static func changed(_ answer: JSON, from before: String?) -> String {
    let release = answer["release"] ?? .null
    let name = "\(release["app"]?.string ?? "") \(release["version"]?.string ?? "")"
    let state = release["state"]?.string ?? ""
    guard answer["changed"]?.bool == true else { return "\(name) is \(state) already and says so.\n" }
    var text =
      before.map { $0 == state ? "\(name) is \(state)\n" : "\(name)  \($0) → \(state)\n" }
      ?? "\(name) is \(state)\n"
    text += details(release)
    if let version = answer["superseded"]?.string { text += "  superseded \(version)\n" }
    if let version = answer["restored"]?.string { text += "  \(version) is live again\n" }
    return text
  }

  /// The facts of a release, one a line.
  static func details(_ release: JSON) -> String {
    var table = Table(columns: [Column(""), Column("")])
    func add(_ label: String, _ text: String?) {
      if let text { table.add([Cell("  " + label, .dim), Cell(text)]) }
    }
    add("build", release["build"]?.string)
    if release["state"]?.string == "live" {
      add("live since", release["liveAt"]?.string)
      add("visible from", release["visibleAt"]?.string)
    }
    add("minimum OS", release["minOS"]?.string)
    add("URL", release["url"]?.string)
    add("mandatory", release["mandatory"]?.bool == true ? "yes" : nil)
    let locales = (release["locales"]?.array ?? []).compactMap(\.string)
    add("notes", locales.isEmpty ? nil : locales.joined(separator: ", "))
    return table.render()
  }
}
