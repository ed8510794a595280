/// Why bytes are not accepted as a mail at all; docs/reasons.md says what each means.
package enum MessageFault: String, Error, Sendable, Equatable, CaseIterable {
  case tooLarge = "too-large"
  case nul = "nul"
  case bareCarriageReturn = "bare-carriage-return"
  case noHeader = "no-header"
  /// Without a colon, with a name that RFC 5322 §2.2 does not allow, or folded onto a blank line.
  case malformedField = "malformed-field"
  case tooManyFields = "too-many-fields"
  case fieldTooLong = "field-too-long"
}
