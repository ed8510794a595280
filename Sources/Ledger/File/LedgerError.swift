package import Platform
package import ReleaseModel

/// Why the ledger refuses a command, beyond the laws of the releases themselves: what its functions throw
/// unless they say otherwise.
package enum LedgerError: Error {
  /// There is no file at the path.
  case noLedger(path: String)
  /// The folder the ledger should be in is not there.
  case noFolder(path: String)
  /// The file is something else: a text, another program's database.
  case notALedger(path: String)
  /// The ledger was written by a newer build.
  case newerSchema(path: String, found: Int, known: Int)
  /// An older build wrote the ledger, and it cannot be brought up to date since it may not be written.
  case olderSchema(path: String, found: Int, known: Int)
  /// The ledger was made for a trial, before anything was released; `beside` is what belongs to it.
  case trial(path: String, beside: [String])
  /// The schema is not the built-in one: somebody altered it.
  case alteredSchema(path: String)
  /// A recorded migration is not the built-in one.
  case alteredMigration(path: String, name: String)
  /// The file is a symbolic link, a directory or something else that is not a file of one name.
  case unsafeFile(path: String, reason: String)
  /// The file's rights let everybody write it.
  case worldWritable(path: String)
  /// The folder's rights let everybody put another file in the ledger's place.
  case worldWritableFolder(path: String, folder: String)
  /// The file is kept with a write-ahead log, which pawl never does.
  case writeAheadLog(path: String)
  /// The folder for a group's new ledger does not belong to the group, and holds other files.
  case notTheGroups(folder: String)
  /// The ledger exists, but does not belong to the group that was asked for.
  case otherGroup(path: String)
  /// The file may not be written.
  case readOnly(path: String)
  /// Others held the ledger's lock for too long; `holder` is who has it, if that is known.
  case busy(path: String, holder: LockHolder?)
  /// The ledger's lock file cannot be used.
  case noLock(path: String, SystemError)
  /// There is no such app; `known` holds the slugs there are.
  case noApp(String, known: [String])
  /// The app was added after the point in the past that was asked about.
  case noAppYet(String, asOf: Int64, addedBy: Int64, at: String)
  /// An app with this slug exists with other details.
  case appExists(String, differs: [String])
  /// The Apple ID belongs to another app of the platform.
  case appleIDTaken(Int64, by: String)
  /// There is no such event.
  case noEvent(Int64, last: Int64)
  /// A URL is refused.
  case url(String, URLFault)
  /// Another command with this request id was recorded.
  case requestReused(id: String, event: Int64)
  /// The clock is too far after the last event, or before the program was made.
  case clockJump(clock: Timestamp, last: Timestamp?, earliest: Timestamp)
  /// The last event's hash does not match its bytes and its predecessor's hash.
  case headBroken(Int64)
  /// Clients were told of a number that is more than a million above the last event.
  case tooFarBehind(served: Int64, head: Int64)
  /// The ledger has moved on from the expected head.
  case headMoved(expected: Int64, found: Int64)
  /// A law refuses the command.
  case law(app: String, command: String, LawViolation)
  /// A check beyond the laws refuses the change.
  case guarded(app: String, command: String, GuardViolation)
  /// There is no such evidence.
  case noEvidence(Int64)
  /// The evidence was settled already.
  case settled(Int64, Evidence.Outcome)
  /// The app has no such rule; `owner` is the app that has it, if any.
  case noRule(Int64, app: String, owner: String?)
  /// The event's change can never be reverted.
  case notRevertible(Int64, kind: String)
  /// The app's schedule would have too many tiles; `rules` holds some that make it large.
  case scheduleTooLarge(app: String, rules: [Int64])
  /// Too many releases of the app are under way; `oldest` is the first of them.
  case tooManyUnderWay(app: String, oldest: Version)
  /// A later event changed the same thing.
  case touchedSince(Int64, by: Int64?)
  /// An event does not say what its kind should say.
  case unreadableEvent(Int64)
  /// A row does not say what its columns should say.
  case unreadableRow(String)
  /// A copy would replace another file.
  case copyExists(path: String)
  /// A copy may not be placed where it was asked for.
  case unsafeCopy(path: String, reason: String)
  /// A copy is not what was recorded, and so neither is the ledger.
  case faultyCopy(path: String, Verification)
  /// The change needs the agreement of more signers.
  case approvalsRequired(Approvals)
  /// A plan cannot be applied.
  case plan(PlanFault)
  /// A change of signers or approvals is refused.
  case signer(SignerFault)
  /// The named field would hold a text with a control character.
  case controlCharacter(String)
  /// SQLite failed.
  case storage(StorageFailure, path: String)
  /// The system failed.
  case system(SystemError)
}

extension LedgerError {
  /// Adds to a guard's refusal which command it refused, on which app.
  package static func guarding<T>(
    _ app: String, _ command: String, _ body: () throws(GuardViolation) -> T
  ) throws(LedgerError) -> T {
    do throws(GuardViolation) {
      return try body()
    } catch {
      throw .guarded(app: app, command: command, error)
    }
  }
}

/// Why a change is not recorded for lack of approval.
package struct Approvals: Sendable, Equatable {
  package let needed: Int
  package let names: [String]
  package let signers: [String]
  package let needs: [Need]
  package let impact: Impact
}

/// Why a change of signers or approvals is refused.
package enum SignerFault: Error, Sendable, Equatable {
  /// The key belongs to another signer.
  case keyTaken(by: String)
  /// More approvals are demanded than there are signers.
  case tooFew(signers: Int, approvals: Int)
}
