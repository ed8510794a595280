import TestSupport
import Testing

/// Law 9: saying it twice is harmless, in whatever spelling, and leaves a record that verifies.
@Suite struct SaidTwiceTests {
  /// A command, and others that say the same in other words.
  private static let cases: [(first: String, again: [String])] = [
    ("app set taxi --asks-since 7.0", ["app set taxi --asks-since 7.0.0", "app set taxi --asks-since 7"]),
    ("app set taxi --hold 24h", ["app set taxi --hold 1d", "app set taxi --hold 1440m"]),
    ("app set taxi --policy force,remind", ["app set taxi --policy force,remind"]),
    ("app set taxi --countries US,CN", ["app set taxi --countries us,cn", "app set taxi --countries CN,US"]),
    ("app set taxi --expect asc,mail", ["app set taxi --expect mail,asc"]),
    (
      "app set taxi --name Cab --sku T1 --remind-every 1d --live-by lookup --remind-after phase",
      ["app set taxi --name Cab", "app set taxi --sku T1", "app set taxi --remind-every 1d"]
    ),
    ("app set taxi --apple-id 1524608463", ["app set taxi --apple-id 1524608463"]),
    ("app set taxi --bundle-id com.example.cab", ["app set taxi --bundle-id com.example.cab"]),
    (
      "app set taxi --store-url https://apps.apple.com/app/id1524608463",
      ["app set taxi --store-url https://apps.apple.com/app/id1524608463"]
    ),
    (
      "app add van --bundle-id com.example.van --asks-since 7.0",
      ["app add van --bundle-id com.example.van --asks-since 7"]
    ),
    (
      "amend taxi 7.3 --min-os 17 --note en=Hi --mandatory --expires 2027-11-20",
      ["amend taxi 7.3.0 --min-os 17.0", "amend taxi 7.3 --note en=Hi"]
    ),
    ("amend taxi 7.3 --build 7", ["amend taxi 7.3.0 --build 7"]),
    ("mark taxi 7.3 approved", ["mark taxi 7.3.0 approved"]),
    ("mark taxi 7.3 live --visible-now", ["mark taxi 7.3.0 live"]),
    (
      "force taxi below:7.2 --reason x",
      ["force taxi <7.2.0 --reason x", "force taxi below:7.2.0.0 --reason x"]
    ),
    ("remind taxi 7.0..7.1", ["remind taxi 7.0.0..7.1.0"]),
    (
      "redirect taxi 7.0 --url https://apps.apple.com/app/id1",
      ["redirect taxi 7.0.0 --url https://apps.apple.com/app/id1"]
    ),
    ("redirect taxi 7.0 --clear", ["redirect taxi 7.0.0 --clear"]),
    ("setting taxi key a --versions 7.0", ["setting taxi key a --versions 7.0.0"]),
    ("setting taxi key --versions 7.0 --clear", ["setting taxi key --versions 7.0.0 --clear"]),
    ("lift taxi 1", ["lift taxi 1"]), ("stop taxi", ["stop taxi"]),
    ("trust host dl.example.com", ["trust host DL.example.com"]),
    ("void taxi 7.4 --reason x", ["void taxi 7.4.0 --reason x"]),
  ]

  @Test func `repeating a command in another spelling changes nothing, and the ledger verifies`() throws {
    let shell = try Shell.taxi()
    try shell.tell("past taxi 7.0 7.1 7.2\npublish taxi 7.3\npublish taxi 7.4")
    for (first, again) in Self.cases {
      try shell.tell("\(first) --yes")
      for line in again { try shell.tell("\(line) --yes → same changed=false") }
      try shell.tell("verify")
    }
  }
}
