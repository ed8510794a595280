package import JSON

/// Why something is refused: the row of docs/errors.md that words it, and the values that its words name.
package struct Refusal: Error, Sendable, Equatable {
  /// The error's id, or `id/wording`.
  package let key: String
  package var values: [String: String]
  /// What programs get; its members stand for names in the words, too.
  package var details: JSON

  package init(_ key: String, _ values: [String: String] = [:], details: JSON = [:]) {
    (self.key, self.values, self.details) = (key, values, details)
  }

  init(_ key: String, of version: Version, _ values: [String: String] = [:], details: JSON = [:]) {
    self.init(key, values, details: details.adding(["version": .string(version.text)]))
  }

  /// The id of the error; in the reason of evidence it is stored, so it never changes.
  package var id: String { String(key.prefix { $0 != "/" }) }

  /// The same, with what was tried on which app: `publish 7.3.1`.
  package func of(_ command: String, on app: String) -> Refusal {
    var refusal = self
    refusal.values["attempt"] =
      switch command {
      case "resume", "retire", "stop": "\(command) \(app)"
      case "change details": "change the details of \(app)"
      case "strike out the app": "strike out \(app)"
      case "allow all", "force all", "redirect all", "remind all":
        "\(command.prefix { $0 != " " }) all versions of \(app)"
      case _ where command.hasPrefix("undo ") || command.hasPrefix("redo "):
        "\(command.prefix(4)) event \(command.dropFirst(5)) of \(app)"
      default: "\(command) for \(app)"
      }
    refusal.details = details.adding(["app": .string(app)])
    return refusal
  }

  /// Adds to the refusal of a body which command it refused, on which app.
  package static func of<Value>(
    _ command: String, on app: String, _ body: () throws(Refusal) -> Value
  ) throws(Refusal) -> Value {
    do throws(Refusal) {
      return try body()
    } catch {
      throw error.of(command, on: app)
    }
  }
}

extension Refusal {
  /// There is no release of a version; names the one that was probably meant.
  package static func noRelease(_ version: Version, nearest: Version?) -> Refusal {
    Refusal(
      nearest == nil ? "release.not-found" : "release.not-found/near", of: version,
      details: ["nearest": .optional(nearest?.text)])
  }

  /// A version is not greater than one that stands in its way (law 1).
  static func notGreater(
    _ key: String, _ version: Version, than known: Version,
    _ values: [String: String] = [:]
  ) -> Refusal {
    Refusal(key, of: version, values.merging(["known": known.text]) { $1 })
  }

  /// A release cannot move from its state to another (law 3).
  static func illegalMove(_ version: Version, from: ReleaseState, to: ReleaseState) -> Refusal {
    let key =
      switch (from, to) {
      case (_, .superseded): "state.illegal/superseded"
      case (.live, .void), (.superseded, .void), (.removed, .void), (.approved, .void):
        "state.illegal/uploaded"
      case (_, .void): "state.illegal/void"
      case (.live, _): "state.illegal/live"
      case (.superseded, _), (.removed, _), (.void, _): "state.illegal/over"
      default: "state.illegal"
      }
    return Refusal(
      key, of: version, details: ["from": .string(from.rawValue), "to": .string(to.rawValue)])
  }
}
