/// Why the parts of a mail cannot be read; docs/reasons.md says what each means.
package enum MIMEFault: String, Error, Sendable, Equatable, CaseIterable {
  /// It breaks the grammar or occurs twice.
  case malformedType = "malformed-type"
  case unclosedMultipart = "unclosed-multipart"
  case malformedPart = "malformed-part"
  case tooDeep = "too-deep"
  case tooManyParts = "too-many-parts"
  /// Also one that is not allowed on a multipart.
  case unknownEncoding = "unknown-encoding"
  case malformedBase64 = "malformed-base64"
  case unknownCharset = "unknown-charset"
  /// Two texts of one kind, of which some readers show one and some the other.
  case severalTexts = "several-texts"
  case noText = "no-text"
}
