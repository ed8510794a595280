package import JSON
package import ReleaseModel

/// One file for clients.
package struct Document: Sendable, Equatable {
  /// The path below the directory, such as `v1/taxi/7.3.2.json`.
  package let path: String
  package let bytes: [UInt8]

  package init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }
}

/// What a client concludes from its document.
package struct Conclusion: Sendable, Equatable {
  package let action: Action
  /// The page it opens; nil with action `none`, and where the format leaves the page to the client.
  package let url: String?

  package init(_ action: Action, url: String? = nil) {
    self.action = action
    self.url = action == .none ? nil : url
  }
}

/// What somebody should know of an app's documents in one format: a warning, or why they were refused.
package struct ExportFinding: Error, Sendable, Equatable {
  /// Stable, catalogued in docs/errors.md.
  package let id: String
  package let app: String
  package let format: String
  /// The versions meant, ascending; empty where all are.
  package let versions: [Version]
  /// What the documents say instead, or why there are none, in lower case without a full stop.
  package let message: String

  package init(_ id: String, app: String, format: String, versions: [Version] = [], _ message: String) {
    self.id = id
    self.app = app
    self.format = format
    self.versions = versions
    self.message = message
  }
}

extension ExportFinding {
  /// The finding as `export` shows it.
  package var json: JSON {
    [
      "app": .string(app), "format": .string(format), "id": .string(id), "message": .string(message),
      "versions": .array(versions.map { .string($0.text) }),
    ]
  }

  /// Reads it back from what `json` wrote; nil where it wrote something else.
  init?(json: JSON) {
    guard let id = json["id"]?.string, let app = json["app"]?.string, let format = json["format"]?.string,
      let message = json["message"]?.string
    else { return nil }
    let versions = (json["versions"]?.array ?? []).compactMap { $0.string.flatMap { try? Version($0) } }
    self.init(id, app: app, format: format, versions: versions, message)
  }
}

/// A shape of documents that some clients read.
package protocol DocumentFormat: Sendable {
  /// The name of its folder and of the option that chooses it.
  var name: String { get }

  /// Whether the documents say until when they hold.
  var saysTimes: Bool { get }

  /// Writes the documents of one app.
  ///
  /// - Throws: `ExportFinding` where the format cannot say what is decided.
  func documents(for sheet: AnswerSheet) throws(ExportFinding) -> (
    documents: [Document], warnings: [ExportFinding]
  )

  /// What the format's clients conclude from the documents, read as those clients read them.
  ///
  /// - Parameters:
  ///   - documents: What `documents(for:)` wrote, by path.
  ///   - os: The device's system; nil for one that anything runs on.
  /// - Returns: Nil where the client would see no document, or one it cannot read.
  func conclusion(
    from documents: [String: [UInt8]], app: String, version: Version, os: Version?
  ) -> Conclusion?

  /// A client that has the documents, for asking of many versions in a row.
  ///
  /// - Returns: What `conclusion(from:app:version:os:)` says of a version on a system.
  func client(of documents: [String: [UInt8]], app: String) -> (Version, Version?) -> Conclusion?
}

extension DocumentFormat {
  package var saysTimes: Bool { false }

  /// Asks the documents anew for every version.
  package func client(of documents: [String: [UInt8]], app: String) -> (Version, Version?) -> Conclusion? {
    { version, os in conclusion(from: documents, app: app, version: version, os: os) }
  }
}
