// swift-tools-version: 6.2

import PackageDescription

/// Every Swift target: no implicit existentials, no leaking of a module's own imports.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Of what is done once in a command, small code is worth more than fast code.
let cold = settings + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// What tests ask millions of times is optimized in every build: they take a third of the time, and run what is released.
let hot = settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Both: what tests ask much, and a release may do a little slower to stay small.
let warm = cold + [.unsafeFlags(["-O"], .when(configuration: .debug))]

// Imports run one way; `Tests/RepositoryTests` holds this table against the sources.
let package = Package(
  name: "pawl",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "pawl", targets: ["pawl"])],
  targets: [
    // The system's two C libraries.
    .systemLibrary(
      name: "CSQLite",
      path: "Sources/CSQLite",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CLibcrypto",
      path: "Sources/CLibcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),

    // A declaration that the C library's Swift module lacks.
    .systemLibrary(name: "CSystem", path: "Sources/CSystem"),

    // Leaves: each knows one thing and nothing of releases, but for the model and the schema.
    .target(name: "Platform", dependencies: ["CSystem"], swiftSettings: cold),
    .target(name: "JSON", swiftSettings: hot),
    .target(name: "CSV", swiftSettings: cold),
    .target(name: "Crypto", dependencies: ["CLibcrypto"], swiftSettings: hot),
    .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: hot),
    .target(
      name: "Schema", path: "db", exclude: ["README.md"],
      resources: [.embedInCode("migrations")], swiftSettings: settings),
    .target(name: "Pages", resources: [.embedInCode("pages")], swiftSettings: cold),
    .target(name: "ReleaseModel", dependencies: ["Crypto", "JSON"], swiftSettings: hot),

    // The middle: the one writer of the ledger, and the command-line kit.
    .target(
      name: "Ledger",
      dependencies: ["CSV", "Crypto", "JSON", "Platform", "ReleaseModel", "Schema", "SQLite"],
      swiftSettings: warm),
    .target(
      name: "CommandLineKit", resources: [.embedInCode("scripts")], swiftSettings: cold),
    .target(
      name: "Export", dependencies: ["Crypto", "JSON", "Platform", "ReleaseModel"], swiftSettings: warm),
    .target(
      name: "Mirror", dependencies: ["Crypto", "JSON", "Ledger", "Platform", "ReleaseModel"],
      resources: [.embedInCode("Programs")], swiftSettings: cold),
    .target(name: "AppleIntake", dependencies: ["Crypto", "JSON", "ReleaseModel"], swiftSettings: warm),
    .target(name: "HTMLReport", dependencies: ["CommandLineKit", "Crypto"], swiftSettings: cold),
    .target(
      name: "Intake",
      dependencies: ["AppleIntake", "CSV", "Crypto", "JSON", "Ledger", "Platform", "ReleaseModel"],
      swiftSettings: cold),

    // The top: commands, and an executable too small to need a test.
    .target(
      name: "AdminCommands",
      dependencies: [
        "AppleIntake", "CommandLineKit", "Crypto", "Export", "HTMLReport", "Intake", "JSON", "Ledger",
        "Mirror", "Pages", "Platform", "ReleaseModel",
      ],
      swiftSettings: settings),
    .executableTarget(name: "pawl", dependencies: ["AdminCommands", "Platform"], swiftSettings: settings),

    // Mails signed as Apple signs, and forgeries, for the tests of two modules.
    .target(
      name: "MailCorpus", dependencies: ["AppleIntake", "CLibcrypto", "Crypto", "ReleaseModel"],
      path: "Tests/MailCorpus", swiftSettings: settings),

    // A directory that goes away, and numbers that come again, for tests that need them.
    .target(
      name: "TestSupport", dependencies: ["Platform"], path: "Tests/TestSupport", swiftSettings: settings),

    // Tests, one target a module.
    .testTarget(
      name: "AppleIntakeTests",
      dependencies: [
        "AppleIntake", "CLibcrypto", "Crypto", "MailCorpus", "Platform", "ReleaseModel", "TestSupport",
      ], swiftSettings: settings),
    .testTarget(name: "CryptoTests", dependencies: ["Crypto", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ExportTests",
      dependencies: ["Crypto", "Export", "JSON", "Platform", "ReleaseModel", "TestSupport"],
      exclude: ["Golden"], swiftSettings: settings),
    .testTarget(name: "CSVTests", dependencies: ["CSV", "TestSupport"], swiftSettings: settings),
    .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: settings),
    .testTarget(
      name: "ReleaseModelTests", dependencies: ["ReleaseModel", "JSON", "TestSupport"],
      swiftSettings: settings),
    // It asks as often as the model answers, so it is optimized like it.
    .testTarget(
      name: "WalkTests", dependencies: ["Export", "JSON", "Mirror", "ReleaseModel", "TestSupport"],
      swiftSettings: hot),
    .testTarget(
      name: "SQLiteTests", dependencies: ["SQLite", "CSQLite", "Platform", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "HTMLReportTests", dependencies: ["CommandLineKit", "Crypto", "HTMLReport"],
      swiftSettings: settings),
    .testTarget(
      name: "CommandLineKitTests", dependencies: ["CommandLineKit", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "LedgerTests",
      dependencies: [
        "Ledger", "ReleaseModel", "Crypto", "JSON", "SQLite", "Schema", "Platform", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AdminCommandsTests",
      dependencies: [
        "AdminCommands", "AppleIntake", "CommandLineKit", "Crypto", "Export", "Intake", "JSON", "Ledger",
        "MailCorpus", "Platform", "ReleaseModel", "SQLite", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "RepositoryTests",
      dependencies: [
        "AdminCommands", "AppleIntake", "CommandLineKit", "JSON", "Pages", "Platform", "ReleaseModel",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
