import ReleaseModel
import Testing

@testable import AppleIntake

@Suite struct WordingPageTests {
  private func tables() throws -> [[(left: String, right: String)]] {
    let page = String(decoding: try Fixtures.read("docs/mail-wording.md"), as: UTF8.self)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.split { !$0.hasPrefix("|") }.map { table in
      table.dropFirst(2).map { row in
        let cells = row.split(separator: "|").map { $0.drop { $0 == " " } }
        return (String(cells[0]), String(cells[1]).split(separator: " ").joined(separator: " "))
      }
    }
  }

  private func quoted(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  private func state(_ cell: String) -> ReleaseState? {
    quoted(cell).first.flatMap(ReleaseState.init(rawValue:))
  }

  @Test func `every subject is read as the page says, and no other is`() throws {
    let rows = try #require(tables().first)
    var fixed: Set<String> = []
    for (subjects, meaning) in rows {
      for subject in quoted(subjects) {
        let text = subject.split(separator: "NAME").joined(separator: "Taxi")
        guard subject.hasSuffix("STATE\"") else {
          guard case .state(let read, _, _, _) = NoticeSubject(text) else {
            Issue.record("\(text) is not understood")
            continue
          }
          #expect(read == state(meaning), "\(text)")
          if text == subject { fixed.insert(lowercased(String(text.prefix { $0 != "." }))) }
          continue
        }
        let named = text.split(separator: "STATE").joined(separator: "In Review")
        #expect(NoticeSubject(named) == .state(.inReview, name: "Taxi", platform: .iOS))
      }
    }
    #expect(fixed == Set(NoticeSubject.fixed.keys))
  }

  @Test func `every sentence is read as the page says, and no other is`() throws {
    let rows = try #require(tables().dropFirst().first)
    var said: [String] = []
    for (sentences, meaning) in rows {
      for sentence in quoted(sentences) {
        said.append(sentence)
        let text = sentence.split(separator: "STATE").joined(separator: "In Review")
          .split(separator: "NAME").joined(separator: "Taxi")
        let wanted: NoticeStatement? =
          quoted(meaning).count == 2 ? .approvedAtLeast : .state(state(meaning) ?? .inReview)
        #expect(NoticeStatement.read(text).statements == [wanted].compactMap(\.self), "\(text)")
      }
    }
    for known in NoticeStatement.fixed.map(\.0) + NoticeStatement.naming.map(\.0) {
      #expect(said.contains { $0.hasPrefix(known) }, "\(known)")
    }
  }

  @Test func `the page gives the source of every wording`() throws {
    let page = String(decoding: try Fixtures.read("docs/mail-wording.md"), as: UTF8.self)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|") }
    let known = rows.filter { $0.count == 3 }.map { $0[2].split(separator: " ") }
    #expect(known.count == 22)
    for seen in known {
      let years = seen.last?.split(separator: "–").compactMap { Int($0) } ?? []
      let isDated =
        seen.count == 2 && seen[0] == "public" && years.allSatisfy { (2013...2026).contains($0) }
        && !years.isEmpty
      #expect(isDated || seen == ["analogy"], "\(seen)")
    }
  }

  @Test func `every name of a state is on the page`() throws {
    let rows = try #require(tables().last)
    var named: [String: ReleaseState] = ["replaced with new version": .superseded]
    for (cell, names) in rows {
      let wanted: ReleaseState = try #require(state(cell))
      for name in names.split(separator: ", ") {
        named[lowercased(String(name))] = wanted
      }
    }
    #expect(named == AppleVocabulary.states)
  }
}
