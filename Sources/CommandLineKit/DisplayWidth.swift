/// The number of terminal cells that text takes.
///
/// Control characters, combining marks and invisible format characters take none, wide East Asian characters and
/// emoji two, a sequence that makes one emoji (joined, a flag, a keycap) two as a whole. What a terminal really
/// does with rare sequences differs from one to the next.
package func displayWidth(_ text: String) -> Int {
  // Nearly all text is ASCII, where a byte is a cell.
  if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
  return text.reduce(0) { $0 + displayWidth($1) }
}

/// The number of terminal cells of one grapheme cluster.
func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard let first = scalars.first else { return 0 }
  if scalars.count > 1, isEmojiSequence(first, scalars) { return 2 }
  return scalars.reduce(0) { $0 + displayWidth($1) }
}

private func isEmojiSequence(_ first: Unicode.Scalar, _ scalars: String.UnicodeScalarView) -> Bool {
  // U+FE0F asks for the emoji form; U+FE0E for the text form. Digits of keycaps have the emoji property too.
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
    return properties.isEmojiPresentation || isWide(value) ? 2 : 1
  }
}
