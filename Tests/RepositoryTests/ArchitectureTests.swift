import Testing

@Suite struct ArchitectureTests {
  /// What each module may import: what the manifest has it depend on, and what comes with the system.
  private static let allowed: [String: Set<String>] = {
    let target =
      /\.(?:target|executableTarget)\(\s*name: "(\w+)"([^\[]*?)(?:dependencies: \[([^\]]*)\])?,\s*(?:exclude|resources|swiftSettings)/
    var allowed: [String: Set<String>] = [:]
    for found in (try? Repository.text("Package.swift"))?.matches(of: target) ?? []
    where !found.2.contains("Tests/") {
      allowed[String(found.1)] = Set((found.3 ?? "").matches(of: /\w+/).map { String($0.0) })
    }
    allowed["Platform"]?.formUnion(["Darwin", "Glibc"])
    allowed["Platform"]?.insert("Synchronization")
    return allowed
  }()

  private struct Import: CustomStringConvertible {
    let module: String
    let imported: String
    let line: Repository.Line

    var description: String { line.description }
  }

  private static func imports() throws -> [Import] {
    try Repository.sources().flatMap { file in
      let module = file.hasPrefix("db/") ? "Schema" : String(file.split(separator: "/")[1])
      return try Repository.lines(file).compactMap { line -> Import? in
        let words = line.text.split(separator: " ").map(String.init)
        guard let index = words.firstIndex(of: "import"),
          words[..<index].allSatisfy({
            ["package", "internal", "private", "fileprivate", "public"].contains($0) || $0.hasPrefix("@")
          }), words.count > index + 1
        else { return nil }
        // `import struct Module.Name` names the module before the point.
        let name = words.count > index + 2 && words[index + 2] != "//" ? words[index + 2] : words[index + 1]
        return Import(module: module, imported: String(name.split(separator: ".")[0]), line: line)
      }
    }
  }

  @Test func `a module imports what the manifest allows and nothing else`() throws {
    let imports = try ArchitectureTests.imports()
    #expect(imports.count > 50, "the imports were not found")
    for found in imports {
      let allowed = try #require(
        ArchitectureTests.allowed[found.module], "the manifest does not know \(found.module)")
      #expect(allowed.contains(found.imported), "\(found)")
    }
  }

  @Test func `the manifest has every module`() throws {
    let modules = try Repository.names(in: "Sources").filter {
      !["CSQLite", "CLibcrypto", "CSystem"].contains($0)
    }
    #expect(Set(modules + ["Schema"]) == Set(ArchitectureTests.allowed.keys))
  }

  @Test func `every import that the manifest allows is used`() throws {
    var used: [String: Set<String>] = [:]
    for found in try ArchitectureTests.imports() { used[found.module, default: []].insert(found.imported) }
    for (module, allowed) in ArchitectureTests.allowed {
      #expect(allowed.subtracting(used[module] ?? []) == [], "\(module) imports less than it may")
    }
  }

  @Test(arguments: [
    ("CSQLite", "SQLite"), ("CLibcrypto", "Crypto"), ("Glibc", "Platform"), ("Darwin", "Platform"),
  ])
  func `only one module imports a library of the system`(library: String, owner: String) throws {
    let importers = Set(try ArchitectureTests.imports().filter { $0.imported == library }.map(\.module))
    #expect(importers == [owner])
  }

  @Test func `nothing imports Foundation`() throws {
    let found = try ArchitectureTests.imports().filter { $0.imported.hasPrefix("Foundation") }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `the package depends on no package`() throws {
    let manifest = try Repository.text("Package.swift")
    #expect(!manifest.contains(".package("))
    #expect(!Repository.exists("Package.resolved"))
  }

  @Test func `the top level has only the files and folders agreed on`() throws {
    let agreed: Set = ["Package.swift", "Sources", "Tests", "db", "docs", "README.md"]
    #expect(Set(try Repository.names(in: ".")) == agreed)
  }

  @Test func `no file is longer than 300 lines`() throws {
    for file in try Repository.sources() {
      let count = try Repository.text(file).split(separator: "\n", omittingEmptySubsequences: false).count - 1
      #expect(count <= 300, "\(file) has \(count) lines")
    }
  }

  @Test func `no source forces what may fail`() throws {
    for line in try Repository.sources().flatMap(Repository.lines) {
      let code = ArchitectureTests.withoutTexts(line.text)
      #expect(!code.contains("try!"), "\(line)")
      #expect(!code.contains("as!"), "\(line)")
      #expect(!code.contains("fatalError("), "\(line)")
      // The compiler puts the length of the source's whole path into the program, which then differs from folder to folder.
      #expect(!code.contains("withoutActuallyEscaping("), "\(line)")
      #expect(!code.contains("preconditionFailure("), "\(line)")
      #expect(!ArchitectureTests.forcesUnwrap(code), "\(line)")
    }
  }

  @Test func `the scan for forced unwraps finds them`() {
    for line in ["let a = b!", "f(a!)", "a![0]", "a()!.b", "let a: Int!", "x[1]!"] {
      #expect(ArchitectureTests.forcesUnwrap(line), "\(line)")
    }
    for line in ["a != b", "!a && !b", "if !isEmpty {", "guard !(a || b)", "[!a]"] {
      #expect(!ArchitectureTests.forcesUnwrap(line), "\(line)")
    }
    #expect(ArchitectureTests.withoutTexts(#"f("a!") // b!"#) == #"f("") "#)
  }

  private static func forcesUnwrap(_ code: String) -> Bool {
    let characters = Array(code)
    return characters.indices.contains { index in
      guard characters[index] == "!", index > 0 else { return false }
      if index + 1 < characters.count, characters[index + 1] == "=" { return false }
      let before = characters[index - 1]
      return before.isLetter || before.isNumber || ")]?_".contains(before)
    }
  }

  /// A line without its comment and with its strings emptied; a text of several lines is judged line by line.
  private static func withoutTexts(_ line: String) -> String {
    var code = ""
    var isText = false
    var isEscaped = false
    for character in line {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isText = false
          code.append(character)
        }
      } else {
        code.append(character)
        if character == "\"" { isText = true }
        if code.hasSuffix("//") { return String(code.dropLast(2)) }
      }
    }
    return code
  }
}
