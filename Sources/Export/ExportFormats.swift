/// The formats there are, in the order of the documentation.
package enum ExportFormats {
  package static let all: [any DocumentFormat] = [
    V1Format(), FlagsFormat(), TypeFormat(), LookupFormat(), PrinceOfVersionsFormat(), UpgraderFormat(),
    UpdatesFormat(), SignedFormat(),
  ]

  /// The format that documents are written in where nobody chose one.
  package static let standard = "v1"

  /// The format of a name.
  package static func named(_ name: String) -> (any DocumentFormat)? { all.first { $0.name == name } }
}
