import AdminCommands
import CommandLineKit
import Testing

@Suite struct SSHAddressTests {
  @Test(
    arguments: [
      ("ssh://ledger.example.com/srv/pawl.db", nil, "ledger.example.com", nil, "/srv/pawl.db"),
      ("ssh://pawl@ledger/srv/pawl.db", "pawl", "ledger", nil, "/srv/pawl.db"),
      ("SSH://pawl@192.0.2.7:2222/a", "pawl", "192.0.2.7", 2_222, "/a"),
      ("ssh://[2001:db8::1]:22/a", nil, "2001:db8::1", 22, "/a"),
      ("ssh://[::1]/a", nil, "::1", nil, "/a"),
      ("ssh://ledger/~/pawl.db", nil, "ledger", nil, "pawl.db"),
      ("ssh://ledger/a%20b/it's%25.db", nil, "ledger", nil, "/a b/it's%.db"),
      ("ssh://ledger/%C3%A9", nil, "ledger", nil, "/é"),
      ("ssh://ledger", nil, "ledger", nil, nil),
      ("ssh://ledger/", nil, "ledger", nil, nil),
      ("ssh://ledger/~/", nil, "ledger", nil, nil),
    ] as [(String, String?, String, Int?, String?)])
  func `a URL names user, host, port and path`(
    url: String, user: String?, host: String, port: Int?, path: String?
  ) throws {
    let address = try SSHAddress(url)
    #expect(address.user == user)
    #expect(address.host == host)
    #expect(address.port == port)
    #expect(address.path == path)
  }

  @Test(arguments: [
    "ssh://", "ssh:///srv/pawl.db", "ssh://-oProxyCommand=id/a", "ssh://-l@ledger/a", "ssh://@ledger/a",
    "ssh://pawl:secret@ledger/a", "ssh://ledger:/a", "ssh://ledger:0/a", "ssh://ledger:65536/a",
    "ssh://ledger:-1/a",
    "ssh://ledger:22x/a", "ssh://led ger/a", "ssh://ledger/a b", "ssh://ledger/a\nb", "ssh://led\u{7}ger/a",
    "ssh://ledger/a%0ab", "ssh://ledger/a%7f", "ssh://ledger/%00", "ssh://ledger/%", "ssh://ledger/%4",
    "ssh://ledger/%+4",
    "ssh://ledger/%ff", "ssh://ledger/a?b", "ssh://ledger/a#b", "ssh://a;id/b", "ssh://$(id)/b",
    "ssh://[::1/a",
    "ssh://[]/a", "ssh://[ledger]/a", "ssh://[::1]x/a", "ssh://[::1%25eth0]/a", "ssh://lédger/a",
    "ssh://a@b@c/d",
    "ssh://ledger:22:22/a",
  ])
  func `a URL that ssh could misread is refused`(url: String) throws {
    let report = #expect(throws: CommandFailure.self) { try SSHAddress(url) }
    #expect(report?.id == "ssh.malformed")
    #expect(report?.exit.rawValue == 64)
  }

  @Test func `a file name is not taken for an ssh URL`() {
    for path in ["pawl.db", "ssh", "ssh:/host/a", "./ssh://host/a", "sshd://host", ""] {
      #expect(!SSHAddress.isMeant(by: path), "\(path)")
    }
  }
}
