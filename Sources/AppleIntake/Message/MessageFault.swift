/// Why bytes are not accepted as a mail at all.
package enum MessageFault: String, Error, Sendable, Equatable, CaseIterable {
  /// More than 1 MiB.
  case tooLarge = "too-large"
  /// A NUL, which C programs take for the end of the text.
  case nul = "nul"
  /// A carriage return without a line feed, which some programs take for a line end and some do not.
  case bareCarriageReturn = "bare-carriage-return"
  /// No header field before the body.
  case noHeader = "no-header"
  /// A header line without a colon, with a name RFC 5322 §2.2 does not allow, or folded onto a blank line.
  case malformedField = "malformed-field"
  /// More than 500 header fields.
  case tooManyFields = "too-many-fields"
  /// A header field of more than 64 KiB.
  case fieldTooLong = "field-too-long"
}
