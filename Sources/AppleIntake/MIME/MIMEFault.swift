/// Why the parts of a mail cannot be read.
package enum MIMEFault: String, Error, Sendable, Equatable, CaseIterable {
  /// A Content-Type or Content-Transfer-Encoding that breaks the grammar or occurs twice.
  case malformedType = "malformed-type"
  /// A multipart without a boundary, or without the line that ends it.
  case unclosedMultipart = "unclosed-multipart"
  /// A part without a valid header.
  case malformedPart = "malformed-part"
  /// Parts within parts, more than eight deep.
  case tooDeep = "too-deep"
  /// More than a hundred parts.
  case tooManyParts = "too-many-parts"
  /// A transfer encoding that is unknown, or not allowed on a multipart.
  case unknownEncoding = "unknown-encoding"
  /// Text labelled base64 that is not.
  case malformedBase64 = "malformed-base64"
  /// Text in a charset that is not supported.
  case unknownCharset = "unknown-charset"
  /// Two texts of one kind, of which some readers show one and some the other.
  case severalTexts = "several-texts"
  /// No text at all.
  case noText = "no-text"
}
