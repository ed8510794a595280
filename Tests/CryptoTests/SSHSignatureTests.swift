import Crypto
import Testing

@Suite struct SSHSignatureTests {
  private static let message = Array("This is a test, this is only a test".utf8)

  private static let published =
    "U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgiWLNIg3cNBXvxU82NW+/COB/4/keps9gJi7cE4x2MAQAAAAIdW5p"
    + "dHRlc3QAAAAAAAAABnNoYTUxMgAAAFMAAAALc3NoLWVkMjU1MTkAAABAihQsbUzuNEFflk5Tw1+H9aLS7tZQk0RG8KW1DtOm"
    + "DYYnWe3D3UKiG3fcJaDNg4vBWp1j1gLRiBMOF+gwYNegDg=="

  /// Of throw-away keys: made by ssh-keygen (OpenSSH 9.2), those of tokens as PROTOCOL.u2f says; `ssh-keygen -Y
  /// check-novalidate` finds each good.
  private static let others: [(kind: String, blob: String)] = [
    (
      "RSA, SHA-512",
      "U1NIU0lHAAAAAQAAARcAAAAHc3NoLXJzYQAAAAMBAAEAAAEBAMGqWswm3JH9bkLVqhHPT/ejrt0mqYV6OBy2QM4zLwYIYvI5"
        + "S9YVExV421X2+Rev+i+FDQjUXcnEetB2rwxt2LvVMGf6zc2CFSWYxsDa5yXTLfTeTmC08KXsYk7mhNqPXwFQxhQq7mKCR30u"
        + "5GUAXXp05RPJHGvVj2KitBwKGVXNZr4zkRpdQYqTi1pT/cPN5h9bCPcQIewFtnhTUI/BTGpBMTZapp09t9CbpAHxVA78hHPv"
        + "R8Si3rOokOt+8lliLibKcjsyHRw12Oot+hkbOVnjGqusYAkJ3ZmeQN8x/QSnUt1R2iv72l6dIAfG2i/6bPaoS4JBXp3m0n56"
        + "uoXG/+cAAAAIdW5pdHRlc3QAAAAAAAAABnNoYTUxMgAAARQAAAAMcnNhLXNoYTItNTEyAAABAKECqRpiqgDw9KIxO2y8UZCM"
        + "Jwddr6DFZqWkEI64tsD9tggX1oX9nqJEZifn9HUSwNiY5Pfw+0I+4ATkqCNJrVuaKhrVwjVU3e7HAryqztO2MJcZOd2vnvtS"
        + "wbIo/Y0Zd453KUelSHikuFymvi8h/dtV/6emyg3EKO8e8SrMQv52wOqcNG6KUY4CS6i3lcx2Te3/bfXKFGRhmykh5x6VcO4a"
        + "UiLwtdmBpu/wGrG+Focxp1SldhRuxZK5UfBmQgmHqG6ZmVQsLpVRIxysrgbbaeNoK3CNBnUHA6XyhG7igovdTRVBsR2cYNbK"
        + "oVlO8bCLHAME5sycJTGBTs3T7R8WYiU="
    ),
    (
      "RSA, message hashed with SHA-256",
      "U1NIU0lHAAAAAQAAARcAAAAHc3NoLXJzYQAAAAMBAAEAAAEBAMGqWswm3JH9bkLVqhHPT/ejrt0mqYV6OBy2QM4zLwYIYvI5"
        + "S9YVExV421X2+Rev+i+FDQjUXcnEetB2rwxt2LvVMGf6zc2CFSWYxsDa5yXTLfTeTmC08KXsYk7mhNqPXwFQxhQq7mKCR30u"
        + "5GUAXXp05RPJHGvVj2KitBwKGVXNZr4zkRpdQYqTi1pT/cPN5h9bCPcQIewFtnhTUI/BTGpBMTZapp09t9CbpAHxVA78hHPv"
        + "R8Si3rOokOt+8lliLibKcjsyHRw12Oot+hkbOVnjGqusYAkJ3ZmeQN8x/QSnUt1R2iv72l6dIAfG2i/6bPaoS4JBXp3m0n56"
        + "uoXG/+cAAAAIdW5pdHRlc3QAAAAAAAAABnNoYTI1NgAAARQAAAAMcnNhLXNoYTItNTEyAAABAGeEkruPxw43rUqf5+lEXaUz"
        + "fnV/ock4QIGLrfZrwUcKNTDrJEZurWiSmPZxjDPh6GKavpTgfiu/BiPK0cuK2IRUPA6lzU0AQeruw0BhGvE2+XO2Eue3KDcY"
        + "+CKiQf0VhvPMNSgV8OPCe08vYBhLM9akdEZrqPo36F/R/ACSLndS21v1sM1fvcotUoIlt7GoHceeCat2B0qN75QlZS3Wf6Qr"
        + "h0Z3sym7bcl8gxH8oDgSF2YqCedlZVQkR1pvH28Xj61VJ+kf7T0WxFRgMKX6BC8OsJxFYBAbHzrCnM0SaKr7ARoXepbx25gE"
        + "4yxXFskOdOpBf1Jmec4b3+04XR08ysw="
    ),
    (
      "ECDSA P-256",
      "U1NIU0lHAAAAAQAAAGgAAAATZWNkc2Etc2hhMi1uaXN0cDI1NgAAAAhuaXN0cDI1NgAAAEEElUmdWDUHpEw2+rHdCQRAHJhC"
        + "y6KJAgrB/LgdAnW4pIQm+V+DSvlZUEf2AJuc6FFC0Hrbc+uAJ2AUtTG6VHPcbgAAAAh1bml0dGVzdAAAAAAAAAAGc2hhNTEy"
        + "AAAAYwAAABNlY2RzYS1zaGEyLW5pc3RwMjU2AAAASAAAACBki2gSF2R/6YvZppi6VIfo+U+53Mt5EfNZkNTfUvNNhQAAACAM"
        + "HfvaDk7Dcl/KuBmz+MJEkMDbG701Q3gwGKGTIzvj0g=="
    ),
    (
      "ECDSA P-384",
      "U1NIU0lHAAAAAQAAAIgAAAATZWNkc2Etc2hhMi1uaXN0cDM4NAAAAAhuaXN0cDM4NAAAAGEEHdobrPCopnFbliMXzxmrWciv"
        + "J23QKiJkMqihqtl0VYjkdm2fzl83Bz2CyejnYJIHqdDCRIhRORrNl5gLD7LTExy6XtlRzYGKQ0Le4QN//4s8M5cBqjT+vXUt"
        + "gVVbayfVAAAACHVuaXR0ZXN0AAAAAAAAAAZzaGE1MTIAAACDAAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAABoAAAAMAtbB2nz"
        + "klFaTSNLMdLcaS3p2yhrmIRf8VWr/2ddzQRyw/HKc0enJKwncj+8Q3+S4AAAADB8Fmy+l0RvyqMrfjoe9AYEDM2gGxFSqGX+"
        + "bdBBMCHDkZZcuJJn2W9bRBdrITtb6JU="
    ),
    (
      "ECDSA P-521",
      "U1NIU0lHAAAAAQAAAKwAAAATZWNkc2Etc2hhMi1uaXN0cDUyMQAAAAhuaXN0cDUyMQAAAIUEARw0cI6fRHY0WTeoSnRWAnCl"
        + "YcgitPfv//ioS6JI6Sjj9f/bLua1YQeCJZ6mhuFvVbZABivB4FpSlVIbCnUOlrUbAHpxP1N42BmiviYTk46zg8Y1S+M5rG5N"
        + "jtfl8sANhpu7Pch2m/thH7IYMc7/eUdcL1cAfFm47Mmk6BqLiTo3wsAgAAAACHVuaXR0ZXN0AAAAAAAAAAZzaGE1MTIAAACm"
        + "AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAACLAAAAQgCw2zjhSmgnFJI9liSsQ3blqOIj4w3EUT+Qjfhh6cNJLtmvGCcczrJF"
        + "N8sbLRIbeYQVwK5Mb6J3DQtiGiDRpVyK6gAAAEFbtKSH2BTHBwf4durAreYkBRijMNZ7qPc746/CUyUJFNARLT24eeDrvuaI"
        + "ZxLe3Y2snaT9GisUEzKJxhv88D5JCQ=="
    ),
    (
      "Ed25519 in a token",
      "U1NIU0lHAAAAAQAAAEoAAAAac2stc3NoLWVkMjU1MTlAb3BlbnNzaC5jb20AAAAgA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1f"
        + "HdyGZBJVMbgAAAAEc3NoOgAAAAh1bml0dGVzdAAAAAAAAAAGc2hhNTEyAAAAZwAAABpzay1zc2gtZWQyNTUxOUBvcGVuc3No"
        + "LmNvbQAAAEDPUtaJrhLJCzpYb2rinG86u3N81BH9J6+FDmBwoUZD//s7g/Lab98uS77CL/c+uGvxk0FmQioXtOwHfAC4nVoA"
        + "AQAAAAc="
    ),
    (
      "ECDSA in a token",
      "U1NIU0lHAAAAAQAAAH8AAAAic2stZWNkc2Etc2hhMi1uaXN0cDI1NkBvcGVuc3NoLmNvbQAAAAhuaXN0cDI1NgAAAEEEPtei"
        + "jsZI7c5dW34lL2sqr7tEg1EUoks8qo9xD2SZO8JXEaNM3JIpCAtjnwmXf+t8qR7M4WSb/qithccrIGrefgAAAARzc2g6AAAA"
        + "CHVuaXR0ZXN0AAAAAAAAAAZzaGE1MTIAAAB5AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3BlbnNzaC5jb20AAABKAAAA"
        + "IQDFr6R93oUfLbIuvOlvyYW7RJNK14rLCLdR36mok1OU8QAAACEAhp+KBNbCca7+AdNmBEMJ3V8DxIe8uAbAoR9ZrRlfq/IB"
        + "AAAABw=="
    ),
  ]

  private func armoured(_ blob: String) -> String {
    "-----BEGIN SSH SIGNATURE-----\n\(blob)\n-----END SSH SIGNATURE-----\n"
  }

  @Test func `OpenSSH's own test vector verifies with its key`() throws {
    let signature = try #require(SSHSignature(armoured(SSHSignatureTests.published)))
    #expect(signature.isGood(over: SSHSignatureTests.message, namespace: "unittest"))
    #expect(
      signature.key.text
        == "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIlizSIN3DQV78VPNjVvvwjgf+P5HqbPYCYu3BOMdjAE")
    #expect(SSHPublicKey(signature.key.text + " somebody@example.com") == signature.key)
  }

  @Test(arguments: SSHSignatureTests.others.indices)
  func `a signature by every kind of key verifies, but not over a changed message`(_ index: Int) throws {
    let (kind, blob) = SSHSignatureTests.others[index]
    let signature = try #require(SSHSignature(armoured(blob)), "\(kind)")
    #expect(signature.isGood(over: SSHSignatureTests.message, namespace: "unittest"), "\(kind)")
    #expect(!signature.isGood(over: SSHSignatureTests.message + [0x0A], namespace: "unittest"), "\(kind)")
    #expect(!signature.isGood(over: SSHSignatureTests.message, namespace: "file"), "\(kind)")
    #expect(SSHPublicKey(signature.key.text) == signature.key)
  }

  /// Anybody may check a recorded signature with ssh-keygen, which reads no other text.
  @Test func `a signature with line ends or empty lines that OpenSSH does not write is rejected`() {
    let text = armoured(SSHSignatureTests.published)
    #expect(SSHSignature(text) != nil)
    for other in [
      text.replacing("\n", with: "\r\n"), "\n" + text, text + "\n", text.replacing("\n", with: "\n\n"),
    ] {
      #expect(SSHSignature(other) == nil)
    }
  }

  @Test func `a signature with any byte changed is refused`() throws {
    let all = [SSHSignatureTests.published] + SSHSignatureTests.others.map(\.blob)
    for blob in all {
      let bytes = try #require(Base64.decode(blob.utf8))
      for place in bytes.indices {
        var altered = bytes
        altered[place] ^= 1
        let signature = SSHSignature(armoured(Base64.encode(altered)))
        // What stays good is the flags and counter of nothing: none of these fields is free.
        #expect(
          signature?.isGood(over: SSHSignatureTests.message, namespace: "unittest") != true, "byte \(place)")
      }
    }
  }

  @Test(arguments: [
    "", "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n",
    "-----BEGIN SSH SIGNATURE-----\n\(published)\n", "\(published)\n-----END SSH SIGNATURE-----\n",
    "-----BEGIN SSH SIGNATURE-----\n\(published)AAAA\n-----END SSH SIGNATURE-----\n",
    "-----BEGIN PGP SIGNATURE-----\n\(published)\n-----END PGP SIGNATURE-----\n",
  ])
  func `text that is not a signature is rejected`(_ text: String) {
    #expect(SSHSignature(text) == nil)
  }

  @Test func `an unknown hash or version or an empty namespace is rejected`() throws {
    let bytes = try #require(Base64.decode(SSHSignatureTests.published.utf8))
    func replacing(_ old: String, _ new: String) -> SSHSignature? {
      let (old, new) = (Array(old.utf8), Array(new.utf8))
      let place = bytes.indices.first { bytes[$0...].starts(with: old) }
      guard let place else { return nil }
      return SSHSignature(armoured(Base64.encode(bytes[..<place] + new + bytes[(place + old.count)...])))
    }
    #expect(replacing("sha512", "sha512") != nil)
    #expect(replacing("sha512", "sha384") == nil)
    #expect(replacing("SSHSIG\0\0\0\u{1}", "SSHSIG\0\0\0\u{2}") == nil)
    #expect(replacing("\0\0\0\u{8}unittest", "\0\0\0\0") == nil)
  }

  @Test(arguments: [
    "", "ssh-ed25519", "ssh-ed25519 AAAA",
    "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIIlizSIN3DQV78VPNjVvvwjgf+P5HqbPYCYu3BOMdjAE",
    "ssh-dss AAAAB3NzaC1kc3MAAAAB",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIlizSIN3DQV78VPNjVvvwjgf+P5HqbPYCYu3BOMdjAEAA==",
  ])
  func `text that is not a key is rejected`(_ line: String) {
    #expect(SSHPublicKey(line) == nil)
  }

  private static let ecdsa =
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJVJnVg1B6RMNvqx3QkEQByYQsuiiQIKwfy4HQJ1uKSEJvlfg0r5WVBH9gCbnOhRQtB623PrgCdgFLUxulRz3G4="

  private static func key(_ parts: [[UInt8]]) -> SSHPublicKey? {
    SSHPublicKey(
      blob: parts.flatMap { part in
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: part.count >> $0) } + part
      })
  }

  @Test func `a point of a curve is read only in the encoding that OpenSSH writes`() throws {
    let blob = try #require(SSHPublicKey(SSHSignatureTests.ecdsa)?.blob)
    let (x, y) = (Array(blob.suffix(64).prefix(32)), Array(blob.suffix(32)))
    func key(_ point: [UInt8]) -> SSHPublicKey? {
      SSHSignatureTests.key([Array("ecdsa-sha2-nistp256".utf8), Array("nistp256".utf8), point])
    }
    #expect(key([4] + x + y)?.blob == blob)
    let sign = (y.last ?? 0) & 1
    for point in [[2 + sign] + x, [6 + sign] + x + y, [4] + x, [4] + x + [0] + y, [0]] {
      #expect(key(point) == nil, "\(point.first ?? 0), \(point.count) bytes")
    }
  }

  @Test func `an RSA key that is short, has a bad exponent or needless zeros is rejected`() {
    func key(_ exponent: [UInt8], _ modulus: [UInt8]) -> SSHPublicKey? {
      SSHSignatureTests.key([Array("ssh-rsa".utf8), exponent, modulus])
    }
    let modulus = [0x80] + [UInt8](repeating: 0xA5, count: 255)
    #expect(key([1, 0, 1], [0] + modulus) != nil)
    #expect(key([3], [0] + modulus) != nil)
    for exponent: [UInt8] in [[], [0], [1], [2], [1, 0, 0], [0, 3], [0, 1], [0x83]] {
      #expect(key(exponent, [0] + modulus) == nil, "\(exponent)")
    }
    for modulus in [modulus, [0, 0] + modulus, [0] + modulus.dropLast(), [0, 0x7F] + modulus.dropFirst()] {
      #expect(key([1, 0, 1], modulus) == nil, "\(modulus.prefix(3)), \(modulus.count) bytes")
    }
  }

  @Test func `an Ed25519 key of small order or with too large a number is rejected`() {
    func key(_ point: [UInt8]) -> SSHPublicKey? {
      SSHSignatureTests.key([Array("ssh-ed25519".utf8), point])
    }
    let zeros = [UInt8](repeating: 0, count: 31)
    #expect(key([9] + zeros) != nil)
    var weak: [[UInt8]] = [[0] + zeros, [1] + zeros]
    // From p − 1, of order 2, to the last number of 255 bits.
    weak += (UInt8(0xEC)...0xFF).map { [$0] + [UInt8](repeating: 0xFF, count: 30) + [0x7F] }
    for order8 in [
      "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=", "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=",
    ] { weak.append(Base64.decode(order8.utf8) ?? []) }
    for point in weak {
      #expect(point.count == 32)
      for sign: UInt8 in [0, 0x80] {
        #expect(key(point.dropLast() + [(point.last ?? 0) | sign]) == nil, "\(point)")
      }
    }
  }

  @Test func `a fingerprint is the one ssh-keygen shows`() {
    let key = SSHPublicKey(SSHSignatureTests.ecdsa)
    #expect(key?.fingerprint == "SHA256:MpUxFBgrw0U7klCi45Rv5mJWS/WXWXpHJXhmRg4Gqfs")
  }
}
