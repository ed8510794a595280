package import Platform
package import ReleaseModel

/// Why the ledger refuses a command, beyond the laws: what its functions throw unless they say otherwise.
package enum LedgerError: Error {
  case noLedger(path: String)
  case noFolder(path: String)
  case notALedger(path: String)
  case newerSchema(path: String, found: Int, known: Int)
  /// An older build wrote the ledger, and it cannot be brought up to date since it may not be written.
  case olderSchema(path: String, found: Int, known: Int)
  /// The ledger was made before the first release, with a schema that no build reads any more.
  case tooOld(path: String, found: Int)
  case alteredSchema(path: String)
  case alteredMigration(path: String, name: String)
  /// The file is a symbolic link, a directory or something else that is not a file of one name.
  case unsafeFile(path: String, reason: String)
  case worldWritable(path: String)
  case worldWritableFolder(path: String, folder: String)
  /// The file is kept with a write-ahead log, which pawl never does.
  case writeAheadLog(path: String)
  /// The folder for a group's new ledger does not belong to the group, and holds other files.
  case notTheGroups(folder: String)
  case otherGroup(path: String)
  case readOnly(path: String)
  case busy(path: String, holder: LockHolder?)
  case noLock(path: String, SystemError)
  case noApp(String, known: [String])
  case noAppYet(String, asOf: Int64, addedBy: Int64, at: String)
  case appExists(String, differs: [String])
  case appleIDTaken(Int64, by: String)
  case bundleIDTaken(String, by: String)
  case noEvent(Int64, last: Int64)
  case url(String, URLFault)
  case requestReused(id: String, event: Int64)
  case clockJump(clock: Timestamp, last: Timestamp?, earliest: Timestamp)
  /// The last event's hash does not match its bytes and its predecessor's hash.
  case headBroken(Int64)
  case tooFarBehind(served: Int64, head: Int64)
  case headMoved(expected: Int64, found: Int64)
  case law(app: String, command: String, LawViolation)
  case guarded(app: String, command: String, GuardViolation)
  case noEvidence(Int64)
  case settled(Int64, Evidence.Outcome)
  case noRule(Int64, app: String, owner: String?)
  case notUndoable(Int64, kind: String)
  case scheduleTooLarge(app: String, rules: [Int64])
  case tooManyUnderWay(app: String, oldest: Version)
  /// A later event changed the same row as a command that was to be taken back.
  case touchedSince(Int64, by: Int64?)
  case unreadableEvent(Int64)
  case unreadableRow(String)
  case copyExists(path: String)
  case unsafeCopy(path: String, reason: String)
  /// A copy is not what was recorded, and so neither is the ledger.
  case faultyCopy(path: String, Verification)
  case approvalsRequired(Approvals)
  case plan(PlanFault)
  case signer(SignerFault)
  case controlCharacter(String)
  case storage(StorageFailure, path: String)
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
  case keyTaken(by: String)
  case tooFew(signers: Int, approvals: Int)
}
