/// All formats, in the order of the documentation.
package enum ExportFormats {
  package static let all: [any DocumentFormat] = [
    V1Format(), FlagsFormat(), TypeFormat(), LookupFormat(), PrinceOfVersionsFormat(), UpgraderFormat(),
    V1Format(isSigned: true),
  ]

  package static let standard = "v1"

  /// The format with a name.
  package static func named(_ name: String) -> (any DocumentFormat)? { all.first { $0.name == name } }
}
