package import JSON

/// Where the documents for clients are written after every change, and in which formats.
package struct Publication: Sendable, Equatable {
  package let directory: String
  /// The names of the formats; nil where a ledger of before never said, and what the directory holds counts.
  package let formats: [String]?

  package init(directory: String, formats: [String]?) {
    self.directory = directory
    self.formats = formats
  }

  /// The publication as events show it.
  package var json: JSON {
    ["directory": .string(directory), "formats": formats.map { .array($0.map(JSON.string)) } ?? .null]
  }

  /// Reads it back from what `json` wrote; nil where it wrote something else.
  package init?(json: JSON) {
    guard let directory = json["directory"]?.string else { return nil }
    self.init(directory: directory, formats: json["formats"]?.array?.compactMap(\.string))
  }
}
