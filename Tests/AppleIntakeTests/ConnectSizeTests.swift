import ReleaseModel
import Testing

@testable import AppleIntake

@Suite struct ConnectSizeTests {
  private func version(_ number: String, more: String = "") -> String {
    """
    {"type":"appStoreVersions","id":"v-\(number)","attributes":{"platform":"IOS","versionString":"\(number)",\
    "appVersionState":"IN_REVIEW","copyright":"\(more)"},"relationships":{"build":{"data":{"type":"builds","id":"b"}}}}
    """
  }

  private func answer(_ versions: [String], build: String = "") -> [UInt8] {
    Array(
      """
      {"data":[\(versions.joined(separator: ","))],"included":[{"type":"builds","id":"b",\
      "attributes":{"version":"1","iconAssetToken":"\(build)"}}]}
      """.utf8)
  }

  private func reason(_ bytes: [UInt8]) -> String? {
    do throws(Refusal) {
      _ = try ConnectAnswer(bytes, appleID: nil)
      return nil
    } catch {
      return error.key == "asc.malformed" ? error.values["reason"] : "\(error)"
    }
  }

  @Test func `the part of an answer about one version is kept whole, up to 64 KiB`() throws {
    let some = String(repeating: "x", count: 60_000)
    let read = try ConnectAnswer(answer([version("7.4.0", more: some)]), appleID: nil)
    let part = try #require(read.versions.first?.part)
    #expect(part.count > 60_000)
    #expect(try ConnectAnswer(part, appleID: nil).versions == read.versions)
    let much = String(repeating: "x", count: 70_000)
    #expect(
      reason(answer([version("7.4.0"), version("7.5.0", more: much)]))
        == "it has more than 64 KiB about version '7.5.0'")
    #expect(
      reason(answer([version("7.4.0")], build: much)) == "it has more than 64 KiB about version '7.4.0'")
  }

  @Test func `an answer whose parts exceed 16 MiB together is refused`() {
    let build = String(repeating: "x", count: 60_000)
    let versions = (1...400).map { version("7.\($0)") }
    #expect(reason(answer(versions, build: build)) == "it has more than 16 MiB about all versions")
    #expect(reason(answer(Array(versions.prefix(200)), build: build)) == nil)
  }
}
