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
  /// The page it opens; nil with action `none`, and if the format leaves the page to the client.
  package let url: String?

  package init(_ action: Action, url: String? = nil) {
    self.action = action
    self.url = action == .none ? nil : url
  }
}

/// What somebody should know about an app's documents in one format: a warning, or why they were refused.
package struct ExportFinding: Error, Sendable, Equatable {
  /// A stable id, listed in docs/errors.md.
  package let id: String
  package let app: String
  package let format: String
  /// The versions concerned that the ledger knows, ascending.
  package let versions: [Version]
  /// All versions concerned, unknown ones included, ascending; empty if only known ones are concerned.
  package let ranges: [VersionRange]
  /// What the documents say instead, or why there are none, in lower case without a full stop.
  package let message: String

  package init(
    _ id: String, app: String, format: String, versions: [Version] = [], ranges: [VersionRange] = [],
    _ message: String
  ) {
    self.id = id
    self.app = app
    self.format = format
    self.versions = versions
    self.ranges = ranges
    self.message = message
  }
}

extension ExportFinding {
  /// The finding as `export` shows it.
  package var json: JSON {
    [
      "app": .string(app), "format": .string(format), "id": .string(id), "message": .string(message),
      "ranges": .array(ranges.map { .string($0.text) }),
      "versions": .array(versions.map { .string($0.text) }),
    ]
  }

  /// Reads a finding back from what `json` wrote; nil for anything else.
  init?(json: JSON) {
    guard let id = json["id"]?.string, let app = json["app"]?.string, let format = json["format"]?.string,
      let message = json["message"]?.string
    else { return nil }
    let versions = (json["versions"]?.array ?? []).compactMap { $0.string.flatMap { try? Version($0) } }
    let ranges = (json["ranges"]?.array ?? []).compactMap { $0.string.flatMap { try? VersionRange($0) } }
    self.init(id, app: app, format: format, versions: versions, ranges: ranges, message)
  }
}

/// A kind of client of a format, with the documents it reads; a model that compares versions as numbers.
package struct DocumentClient {
  /// The document it reads; nil if each version has its own.
  let path: String?
  /// Whether one document is for all versions.
  package var isForAll: Bool { path != nil }
  /// The versions that its documents name; between two of them, it always concludes the same.
  let bounds: [Version]
  /// What it concludes when it runs as a version on a system.
  ///
  /// The system is nil if it is unknown, so that everything is taken to run on it; the conclusion is nil if
  /// the client finds no document, or none that it can read.
  package let conclude: (Version) -> (Version?) -> Conclusion?

  /// A client that cannot read its document.
  static func blind(_ path: String) -> DocumentClient {
    DocumentClient(path: path, bounds: []) { _ in { _ in nil } }
  }

  /// A client that reads the file of its own version, else the one for all versions without a file.
  ///
  /// - Parameters:
  ///   - read: What it concludes from a file when it runs as a version on a system.
  static func byVersion(
    _ documents: [String: [UInt8]], in folder: String,
    read: @escaping ([UInt8], Version) -> (Version?) -> Conclusion?
  ) -> DocumentClient {
    let names = documents.keys.filter { $0.hasPrefix(folder) }
    let versions = names.compactMap {
      try? Version(String($0.dropFirst(folder.count).dropLast(".json".count)))
    }
    let files = Dictionary(
      versions.map { ($0, documents["\(folder)\($0.text).json"]) }, uniquingKeysWith: { first, _ in first })
    let others = documents[folder + DocumentPath.fallback]
    return DocumentClient(path: nil, bounds: versions) { version in
      (files[version] ?? others).map { read($0, version) } ?? { _ in nil }
    }
  }
}

/// A shape of documents that some clients read.
package protocol DocumentFormat: Sendable {
  /// The name of its folder and of the option that chooses it.
  var name: String { get }

  /// Whether the documents state until when they hold.
  var saysTimes: Bool { get }

  /// Whether each document is signed before it is written.
  var isSigned: Bool { get }

  /// Makes the documents of one app: what is decided, or the closest that the format can express and that is
  /// never harsher.
  func documents(for sheet: AnswerSheet) -> (documents: [Document], warnings: [ExportFinding])

  /// Models of the clients that read the documents.
  ///
  /// - Parameter documents: What `documents(for:)` wrote, by path.
  func clients(of documents: [String: [UInt8]], app: String) -> [DocumentClient]
}

extension DocumentFormat {
  package var saysTimes: Bool { false }

  package var isSigned: Bool { false }
}
