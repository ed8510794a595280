/// Everything one app's decisions depend on, apart from the client and the moment.
package struct Snapshot: Sendable, Equatable {
  package var line: AppState
  /// The other apps of the ledger that a rule or redirect of this one leads to, by slug.
  package var others: [String: AppState]
  package var hosts: Set<String>

  package init(
    line: AppState, others: [String: AppState] = [:], hosts: Set<String> = StoreURL.storeHosts
  ) {
    (self.line, self.others, self.hosts) = (line, others, hosts)
  }
}
