import Platform

/// What each reason means, from the tables in docs/reasons.md, which is part of the program.
private let meanings = Dictionary(
  tableRows(of: PackageResources.reasons_md).flatMap { row in
    row[0].split { $0 == "," || $0 == " " }.map { (String($0), row[1]) }
  }, uniquingKeysWith: { first, _ in first })

/// What an id means: a clause without a capital or a full stop.
///
/// Where the page has `mail.missing.*` for it, the words of the last part stand for the star.
package func meaning(of id: String) -> String? {
  if let words = meanings[id] { return words }
  for dot in id.indices.reversed() where id[dot] == "." {
    guard let words = meanings[id[...dot] + "*"], let part = meanings[String(id[dot...].dropFirst())] else {
      continue
    }
    return words.split(separator: "*", omittingEmptySubsequences: false).joined(separator: part)
  }
  return nil
}

/// A reason with what it means; the id alone if this version of pawl does not know it.
func explained(_ reason: String) -> String { meaning(of: reason).map { "\(reason): \($0)" } ?? reason }

/// Why something in a mailbox was not taken in; nothing about it is recorded, and the next run tries again.
package enum PassedOver: String, Sendable, CaseIterable {
  case link = "entry.link"
  case notAFile = "entry.not-a-file"
  case gone = "entry.gone"
  case unreadable = "entry.unreadable"
  case quota = "evidence.quota"

  package var words: String { meanings[rawValue] ?? "" }
}

extension PassedOver {
  init(_ fault: EntryFault) {
    switch fault {
    case .link: self = .link
    case .notAFile: self = .notAFile
    case .gone: self = .gone
    case .unreadable: self = .unreadable
    }
  }
}
