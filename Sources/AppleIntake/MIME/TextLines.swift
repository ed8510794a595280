/// Returns text with runs of blanks and line ends collapsed to one blank, and none at either end.
///
/// No-break and zero-width characters count as blanks, since they look like blanks.
func collapsed(_ text: String) -> String {
  var out = String.UnicodeScalarView()
  var wantsBlank = false
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x2000...0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
      wantsBlank = true
    default:
      if wantsBlank, !out.isEmpty { out.append(" ") }
      wantsBlank = false
      out.append(scalar)
    }
  }
  return String(out)
}

func textLines(_ text: String) -> [String] {
  text.unicodeScalars.split { $0 == "\n" || $0 == "\r" }.compactMap {
    let line = collapsed(String($0))
    return line.isEmpty ? nil : line
  }
}
