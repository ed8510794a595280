package import ReleaseModel

/// What commands ask of the ledger while they put their changes together.
extension Draft {
  /// All apps, as recorded.
  package func apps() throws -> [App] { try ledger.apps() }

  /// Whether the last change of a release was that its going live was taken back.
  package mutating func wasTakenBack(_ app: String, _ version: Version) throws -> Bool {
    guard let release = try line(app).release(version), !release.state.isReleased else { return false }
    return try ledger.event(release.event).kind == "release.unmark"
  }

  /// A rule that was lifted.
  ///
  /// - Throws: `LedgerError.noRule` where the app never had it.
  package func liftedRule(_ number: Int64, of app: String) throws -> Rule {
    let made = try ledger.eventMaking(rule: number)
    guard let event = made, event.app == app, case .ruleMade(let rule) = try event.change() else {
      throw LedgerError.noRule(number, app: app, owner: made?.app)
    }
    return rule
  }
}
