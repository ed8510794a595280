import Crypto
import Testing

@Suite struct SignedNoteTests {
  /// The example of golang.org/x/mod/sumdb/note, whose form C2SP's signed notes have.
  private static let key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
  private static let note = """
    If you think cryptography is the answer to your problem,
    then you don't know what your problem is.

    \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=

    """

  private static let doubled =
    note
    + "\u{2014} EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"

  @Test func `a published note verifies with its published key`() throws {
    let key = try #require(NoteVerifier(SignedNoteTests.key))
    #expect(key.name == "PeterNeumann" && key.text == SignedNoteTests.key)
    let note = try #require(SignedNote(SignedNoteTests.note))
    #expect(note.isSigned(by: [key]) == true)
    #expect(note.note == SignedNoteTests.note)
  }

  @Test func `a signature by an unknown key is ignored`() throws {
    let key = try #require(NoteVerifier(SignedNoteTests.key))
    let note = try #require(SignedNote(SignedNoteTests.doubled))
    #expect(note.signatures.count == 2)
    #expect(note.isSigned(by: [key]) == true)
    let other = try #require(
      NoteVerifier("EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"))
    #expect(note.isSigned(by: [other]) == true && note.isSigned(by: [key, other]) == true)
    let stranger = try #require(NoteVerifier(name: "Stranger", key: other.key))
    #expect(note.isSigned(by: [stranger]) == nil && note.isSigned(by: []) == nil)
  }

  @Test func `changing any byte of the text invalidates the signature`() throws {
    let key = try #require(NoteVerifier(SignedNoteTests.key))
    for place in 0..<97 {
      var bytes = Array(SignedNoteTests.note.utf8)
      bytes[place] ^= 1
      let note = SignedNote(String(decoding: bytes, as: UTF8.self))
      #expect(note?.isSigned(by: [key]) != true, "byte \(place)")
    }
  }

  @Test func `text that is not a signed note is refused`() {
    let line = "\u{2014} a AAAAAAA="
    for text in [
      "", "\n", "\n\n", "text\n", "text\n\n", "text\n\n\(line)", "text\n\(line)\n", "\n\n\(line)\n",
      "text\n\n- a AAAAAAA=\n",
      "text\n\n\u{2014} a  AAAAAAA=\n", "text\n\n\u{2014} a AAAA\n", "text\n\n\u{2014} a+b AAAAAAA=\n",
      "te\rxt\n\n\(line)\n",
      "text\n\n\(line)\n\nmore\n",
    ] {
      #expect(SignedNote(text) == nil, "\(text.debugDescription)")
    }
    #expect(SignedNote("text\n\n\(line)\n") != nil)
  }

  @Test func `a signed note verifies under its signer's name and under no other`() throws {
    let key = try #require(SigningKey(seed: Array(0..<32)))
    var note = SignedNote(text: "example.com/log\n1\nAAAA\n")
    #expect(note.sign(key, name: "example.com/log") == true)
    let verifier = try #require(NoteVerifier(name: "example.com/log", key: key.publicKey))
    #expect(SignedNote(note.note)?.isSigned(by: [verifier]) == true)
    #expect(NoteVerifier(verifier.text) == verifier)
    let renamed = try #require(NoteVerifier(name: "example.com/other", key: key.publicKey))
    #expect(note.isSigned(by: [renamed]) == nil)
    #expect(note.sign(key, name: "two words") == false)
  }

  @Test(arguments: [
    "", "a", "a+b", "a+b+c", "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    "PeterNeumann+c74f20a3+AhpcBQcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    "+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
  ])
  func `text that is not a verifier key is refused`(text: String) { #expect(NoteVerifier(text) == nil) }
}
