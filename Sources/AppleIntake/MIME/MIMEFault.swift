/// Why the parts of a mail are not read.
package enum MIMEFault: String, Error, Sendable, Equatable, CaseIterable {
  /// A Content-Type or Content-Transfer-Encoding that is not of the grammar or is there twice.
  case malformedType = "malformed-type"
  /// A multipart without a boundary, or without the line that ends it.
  case unclosedMultipart = "unclosed-multipart"
  /// A part whose header is not one.
  case malformedPart = "malformed-part"
  /// Parts within parts, more than eight deep.
  case tooDeep = "too-deep"
  /// More than a hundred parts.
  case tooManyParts = "too-many-parts"
  /// A transfer encoding that is not known, or not allowed on a multipart.
  case unknownEncoding = "unknown-encoding"
  /// Text called base64 that is not.
  case malformedBase64 = "malformed-base64"
  /// Text in a charset that is not read here.
  case unknownCharset = "unknown-charset"
  /// Two texts of one kind, of which readers show the one or the other.
  case severalTexts = "several-texts"
  /// No text at all.
  case noText = "no-text"
}
