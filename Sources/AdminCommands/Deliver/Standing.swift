import JSON
import Ledger
import ReleaseModel

/// How far behind a receiver of messages or a mirror is, as the board and `doctor` show it; no run depends on it.
struct Standing {
  let name: String
  /// The apps of which a mirror has other answers than the ledger.
  var behind: [String] = []
  let words: String
  let json: JSON
  /// What someone should know; nil if it is up to date.
  let finding: Finding?
  /// Whether it stands for all of a folder that is not opened.
  var isUnread = false

  /// What stands for a folder that is not opened.
  private static func unread(_ name: String, _ finding: Finding?) -> [Standing] {
    guard let finding else { return [] }
    let json: JSON = ["fault": .string(finding.id), "name": .string(name)]
    return [Standing(name: name, words: "\(name) unknown", json: json, finding: finding, isUnread: true)]
  }

  /// What stands for a file of a folder that cannot be read.
  private static func unread(_ name: String, _ folder: CompanionFolder, _ fault: CommandFailure?) -> Standing?
  {
    let words = fault?.message ?? "it is not what pawl wrote"
    return unread(
      name, Finding("ledger.folder-unread", ["path": folder.path(of: "\(name).json"), "words": words])
    ).first
  }

  /// All receivers.
  static func deliveries(of ledger: Ledger, now: Timestamp) throws -> [Standing] {
    let (folder, fault) = try CompanionFolder.found(.deliver, of: ledger)
    guard let folder else { return unread("deliveries", fault) }
    return try folder.names().compactMap { name in
      let read = Result { try Receiver(name, ledger, folder) }
      if case .failure(let error) = read { return unread(name, folder, report(error)) }
      guard let receiver = try read.get() else { return nil }
      let fault = try receiver.fault()
      let (waiting, since) = try receiver.waiting(at: now)
      func finding() -> Finding? {
        if let fault {
          return Finding(
            "\(fault.id)/found", ["fault": fault.message, "head": "\(receiver.seq):\(receiver.hash)"])
        }
        guard waiting > 0 else { return nil }
        let isLate = since.map { TimeSpan(seconds: 3_600) < now - $0 } ?? false
        return Finding(
          receiver.failingSince != nil
            ? "deliver.failing" : isLate ? "deliver.behind" : "deliver.behind/soon",
          [
            "messages": waiting == 1 ? "1 message" : "\(waiting) messages", "name": name,
            "since": (receiver.failingSince ?? since).map { " since \($0.text)" } ?? "",
          ])
      }
      return Standing(
        name: name, words: "\(name) up to event \(receiver.seq)",
        json: [
          "failingSince": .optional(receiver.failingSince?.text), "fault": .optional(fault?.id),
          "name": .string(name), "seq": .integer(receiver.seq), "since": .optional(since?.text),
          "waiting": .integer(waiting),
        ], finding: finding())
    }
  }

  /// All mirrors that a run has been made for.
  static func mirrors(of ledger: Ledger, now: Timestamp) throws -> [Standing] {
    let (folder, fault) = try CompanionFolder.found(.mirrors, of: ledger)
    guard let folder else { return unread("mirrors", fault) }
    let heads = try ledger.storedHeads()
    return try folder.names().compactMap { name in
      let kept: JSON
      do { kept = try folder.read("\(name).json") ?? .null } catch {
        return unread(name, folder, report(error))
      }
      guard let held = kept["apps"]?.object else { return unread(name, folder, nil) }
      let late = heads.filter { held[$0.slug]?.integer != $0.generation }
      let since = try late.map(\.generation).min().map { try Timestamp(ledger.event($0).at) }
      let (fault, failingSince) = (kept["fault"]?.string, kept["failingSince"]?.string)
      func finding() -> Finding? {
        if let fault, let failingSince {
          return Finding(
            "mirror.failed/found", id: fault, ["fault": fault, "name": name, "since": failingSince])
        }
        guard let first = late.first?.slug else { return nil }
        let one = late.count == 1 ? first : nil
        let at = one.flatMap { held[$0]?.integer }.map { " at generation \($0)" } ?? ""
        let isLate = since.map { TimeSpan(seconds: 600) < now - $0 } ?? false
        return Finding(
          isLate ? "mirror.behind" : "mirror.behind/soon", app: one ?? "",
          [
            "apps": one ?? "\(late.count) apps", "at": at, "name": name,
            "since": since.map { " since \($0.text)" } ?? "",
          ])
      }
      return Standing(
        name: name, behind: late.map(\.slug),
        words: "\(name) \(late.isEmpty ? "up to date" : "behind for \(late.count)")",
        json: [
          "behind": .array(late.map { .string($0.slug) }), "failingSince": .optional(failingSince),
          "fault": .optional(fault), "generations": .object(held), "name": .string(name),
          "since": .optional(since?.text),
        ], finding: finding())
    }
  }
}
