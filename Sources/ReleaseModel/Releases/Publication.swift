/// Where the documents for clients are written after every change, and in which formats.
package struct Publication: Record {
  package internal(set) var directory: String
  package internal(set) var formats: [String]
  /// Whether this is a copy of the ledger, which writes nothing unless it takes the place of the original.
  package internal(set) var isCopied = false
  @Unsaid package var event: Int64 = 0

  package init(directory: String, formats: [String]) {
    self.directory = directory
    self.formats = formats
  }

  package var copied: Publication {
    var copy = self
    copy.isCopied = true
    return copy
  }

  package static let table = RecordTable.publication
  package static let columns = Columns(of: Publication.self)
  package static let blank = Publication(directory: "", formats: [])

  package var rowID: Int64? { 1 }

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&directory, "directory", "directory")
    try fields.field(&formats, "formats", "formats")
    try fields.field(&isCopied, "copied", "copied")
    try fields.field(&event, "event_seq", nil)
  }
}
