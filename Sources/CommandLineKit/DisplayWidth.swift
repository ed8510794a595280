/// The number of terminal cells that a text takes.
///
/// Control characters, combining marks and invisible format characters take none; wide East Asian characters
/// and emoji take two; a sequence that forms one emoji (joined, a flag, a keycap) takes two as a whole.
/// Terminals differ in how they show rare sequences.
package func displayWidth(_ text: String) -> Int {
  // Nearly all text is ASCII, in which each byte takes one cell.
  if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
  return text.reduce(0) { $0 + displayWidth($1) }
}

func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard let first = scalars.first else { return 0 }
  if scalars.count > 1, isEmojiSequence(first, scalars) { return 2 }
  return scalars.reduce(0) { $0 + displayWidth($1) }
}

private func isEmojiSequence(_ first: Unicode.Scalar, _ scalars: String.UnicodeScalarView) -> Bool {
  // U+FE0F requests the emoji form, U+FE0E the text form. The digits of keycaps have the emoji property too.
  guard first.properties.isEmoji else { return false }
  if scalars.contains("\u{FE0E}") { return false }
  return first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}")
    || scalars.contains("\u{200D}") || scalars.contains("\u{20E3}")
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  let value = scalar.value
  if (0x20...0x7E).contains(value) { return 1 }
  // The soft hyphen is a format character that terminals show.
  if value == 0xAD { return 1 }
  // The vowels and finals of a Hangul syllable are drawn into the cells of its first letter.
  if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
  let properties = scalar.properties
  switch properties.generalCategory {
  case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator, .surrogate:
    return 0
  default:
    return properties.isEmojiPresentation || wideRanges.contains { $0.contains(value) } ? 2 : 1
  }
}

/// The characters of width W and F in Unicode 14.0's EastAsianWidth.txt; ranges are joined over unassigned
/// gaps.
///
/// Planes 2 and 3 are wide as a whole, because that file makes their unassigned code points wide. Newer emoji
/// are recognized by their property instead.
private let wideRanges: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
  0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
  0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
  0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
  0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
  0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E,
  0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAD9,
  0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB,
  0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F265,
  0x1F300...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA,
  0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440,
  0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
  0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC,
  0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0,
  0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAF6, 0x20000...0x2FFFD,
  0x30000...0x3FFFD,
]
