import JSON
import ReleaseModel
import Testing

@Suite struct ReleaseTests {
  private func noted(_ notes: [(String, String)]) throws -> Release {
    var release = try sampleRelease("1.0", .live, id: 1)
    release.notes = notes.map { Note(locale: $0.0, text: $0.1) }
    return release
  }

  @Test(arguments: [
    ("en", "English"), ("EN", "English"), ("en-GB", "English"), ("en_GB", "English"), ("zh-Hans", "简体"),
    ("zh-hans-CN", "简体"), ("zh_Hant_TW", "繁體"), ("zh", "简体"), ("zh-Hanb", "简体"), ("de", "English"),
    ("pt", "Português"), ("pt-PT", "Português"), ("e", "English"), ("", "English"), ("-", "English"),
    ("en-", "English"), ("und", "English"),
  ])
  func `a note is found by its locale, else its language, else it is the first`(locale: String, text: String)
    throws
  {
    let release = try noted([("en", "English"), ("zh-Hans", "简体"), ("zh-Hant", "繁體"), ("pt-BR", "Português")])
    #expect(release.note(for: locale) == text)
  }

  @Test func `without a locale the first note is meant, and without notes none`() throws {
    #expect(try noted([("de", "eins"), ("en", "one")]).note(for: nil) == "eins")
    #expect(try noted([("de", "eins"), ("en", "one")]).note(for: "fr") == "eins")
    #expect(try noted([]).note(for: "en") == nil)
    #expect(try noted([]).note(for: nil) == nil)
  }

  @Test func `a language does not match by its first letters`() throws {
    let release = try noted([("de", "eins"), ("eng", "x"), ("en-US", "one")])
    #expect(release.note(for: "en") == "one")
    #expect(release.note(for: "e") == "eins")
  }

  @Test(arguments: ["en", "und", "zh-Hans", "zh-Hans-CN", "pt_BR", "es-419", "de-CH-1901"])
  func `a language tag is a locale`(text: String) { #expect(Release.isLocale(text)) }

  @Test(arguments: [
    "", "e", "e1", "en-", "-en", "en--US", "en US", "en-toolonglabel", "123", "日本", "en-é",
    "aa-bbbbbbbb-cccccccc-dddddddd-eeeeeeee",
  ])
  func `other text is not a locale`(text: String) { #expect(!Release.isLocale(text)) }

  @Test func `a release is visible if live or superseded, from its moment on`() throws {
    for state in ReleaseState.allCases {
      var release = try sampleRelease("1.0", state, id: 1)
      release.visibleAt = hour(5)
      let may = state == .live || state == .superseded
      #expect(release.isVisible(at: hour(4)) == false)
      #expect(release.isVisible(at: hour(5)) == may)
      #expect(release.isVisible(at: hour(6)) == may)
      #expect(release.isHeld(at: hour(4)) == (state == .live))
      #expect(!release.isHeld(at: hour(5)))
      release.visibleAt = nil
      #expect(!release.isVisible(at: hour(6)))
      #expect(!release.isHeld(at: hour(6)))
    }
  }

  @Test func `a release became visible if its moment came before its removal`() throws {
    var release = try sampleRelease("1.0", .removed, id: 1, liveAt: hour(0), visibleAt: hour(24))
    release.removedAt = hour(10)
    #expect(!release.becameVisible(by: hour(100)))
    release.removedAt = hour(24)
    #expect(release.becameVisible(by: hour(100)))
    release.removedAt = nil
    #expect(!release.becameVisible(by: hour(23)))
    #expect(release.becameVisible(by: hour(24)))
    release.visibleAt = nil
    #expect(!release.becameVisible(by: hour(24)))
  }

  @Test func `a record with a missing or wrong member is not read as a release`() throws {
    #expect(Release(json: .null) == nil)
    let whole = try sampleRelease("1.0", .live, id: 1).json(app: "taxi")
    for key in ["id", "version", "state", "since", "mandatory", "locales"] {
      var object = try #require(whole.object)
      object[key] = nil
      #expect(Release(json: .object(object)) == nil, "\(key)")
    }
    var object = try #require(whole.object)
    object["locales"] = ["en"]
    #expect(Release(json: .object(object)) == nil)
    object["locales"] = []
    object["former"] = ["state": "nowhere"]
    #expect(Release(json: .object(object)) == nil)
  }
}
