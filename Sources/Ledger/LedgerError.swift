package import Platform
package import ReleaseModel

/// Why the ledger refuses, beyond the laws of the releases themselves.
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
  /// The schema is not the built-in one: somebody altered it.
  case alteredSchema(path: String)
  /// A recorded migration is not the built-in one.
  case alteredMigration(path: String, name: String)
  /// The file is a symbolic link, a directory or something else that is not a file of one name.
  case unsafeFile(path: String, reason: String)
  /// The file's rights let everybody write.
  case worldWritable(path: String)
  /// The folder's rights let everybody put another file in the ledger's place.
  case worldWritableFolder(path: String, folder: String)
  /// The file is kept with a write-ahead log, which pawl never does.
  case writeAheadLog(path: String)
  /// The folder of a ledger to be made for a group holds other files, and is not the group's.
  case notTheGroups(folder: String)
  /// The ledger is there, and not of the group it is asked for.
  case otherGroup(path: String)
  /// The file may not be written.
  case readOnly(path: String)
  /// Others held the ledger's lock for longer than was to be waited; who holds it, as far as that is known.
  case busy(path: String, holder: LockHolder?)
  /// The file of the ledger's lock cannot be used.
  case noLock(path: String, SystemError)
  /// No such app; the slugs there are.
  case noApp(String, known: [String])
  /// An app was added by an event after the point of the past that is asked about.
  case noAppYet(String, asOf: Int64, addedBy: Int64, at: String)
  /// An app of this name says something else.
  case appExists(String, differs: [String])
  /// The Apple ID belongs to another app of the platform.
  case appleIDTaken(Int64, by: String)
  /// No such event.
  case noEvent(Int64, last: Int64)
  /// A URL is refused.
  case url(String, URLFault)
  /// Another command with this request id was recorded.
  case requestReused(id: String, event: Int64)
  /// The clock is further on than a ledger rests, or before the program was made.
  case clockJump(clock: Timestamp, last: Timestamp?, earliest: Timestamp)
  /// The last event's hash is not the one that its bytes and its predecessor's hash give.
  case headBroken(Int64)
  /// The ledger has moved on from the expected head.
  case headMoved(expected: Int64, found: Int64)
  /// The law of an app refuses.
  case law(app: String, command: String, LawViolation)
  /// A rule or redirect is refused when it is made.
  case guarded(app: String, command: String, GuardViolation)
  /// No such evidence.
  case noEvidence(Int64)
  /// The evidence was settled already.
  case settled(Int64, Evidence.Outcome)
  /// No such rule of the app; the app it is a rule of, if there is one.
  case noRule(Int64, app: String, owner: String?)
  /// An event whose change is never reverted.
  case notRevertible(Int64, kind: String)
  /// Something touched the same since.
  case touchedSince(Int64, by: Int64?)
  /// An event does not say what its kind should say.
  case unreadableEvent(Int64)
  /// A row does not say what its columns should say.
  case unreadableRow(String)
  /// A copy would take the place of another file.
  case copyExists(path: String)
  /// A copy may not lie where it was to lie.
  case unsafeCopy(path: String, reason: String)
  /// A copy is not what was recorded, and so neither is the ledger.
  case faultyCopy(path: String, Verification)
  /// What asks needs more signers who agree.
  case approvalsRequired(Approvals)
  /// A plan is not applied.
  case plan(PlanFault)
  /// A signer is not taken, or cannot go.
  case signer(SignerFault)
  /// SQLite failed.
  case storage(StorageFailure, path: String)
  /// The system failed.
  case system(SystemError)
}

extension LedgerError {
  /// Says of a guard's refusal which command on which app it met.
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
  /// How many signers must agree.
  package let needed: Int
  /// Who does, by name.
  package let names: [String]
  /// Who could, by name.
  package let signers: [String]
  /// What of the change needs it.
  package let needs: [ApprovalNeed]
  package let impact: Impact
}

/// Why what is said of signers and approvals is refused.
package enum SignerFault: Error, Sendable, Equatable {
  /// The key is another signer's.
  case keyTaken(by: String)
  /// So many approvals need more signers than there are.
  case tooFew(signers: Int, approvals: Int)
}
