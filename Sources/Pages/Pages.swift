/// The pages of `docs` that the program itself shows: those that its errors, hints and helps name, and what these link to.
///
/// They are built in, since an archive with the program alone has no other copy. The folder `pages` has a link to each.
package enum Pages {
  /// A page with its file below `docs`.
  package struct Page: Sendable {
    package let file: String
    /// The word that selects it; that of its file, or of the folder that it introduces.
    package let name: String
    /// Its Markdown; made when it is asked for.
    package let text: @Sendable () -> [UInt8]

    fileprivate init(
      _ file: String, named name: String? = nil, _ text: @autoclosure @escaping @Sendable () -> [UInt8]
    ) {
      (self.file, self.text) = (file, text)
      let parts = file.split(separator: "/")
      let last = parts.last { $0 != "README.md" }.map { String($0.prefix { $0 != "." }) }
      self.name = name ?? last ?? file
    }
  }

  /// All of them, in order of name.
  package static var all: [Page] {
    [
      Page("agents.md", PackageResources.agents_md),
      Page("app-store-connect.md", PackageResources.app_store_connect_md),
      Page("backends.md", PackageResources.backends_md),
      Page("cheat-sheet.md", PackageResources.cheat_sheet_md),
      Page("ci/README.md", PackageResources.ci_md),
      Page("clients/README.md", PackageResources.clients_md),
      Page("decision.md", PackageResources.decision_md),
      Page("decisions.md", PackageResources.decisions_md),
      Page("deliver/README.md", named: "notifications", PackageResources.notifications_md),
      Page("documents.md", PackageResources.documents_md),
      Page("errors.md", errors),
      Page("evidence.md", PackageResources.evidence_md),
      Page("formats.md", PackageResources.formats_md),
      Page("getting-started.md", PackageResources.getting_started_md),
      Page("glossary.md", PackageResources.glossary_md),
      Page("install.md", PackageResources.install_md),
      Page("json.md", PackageResources.json_md),
      Page("laws-and-states.md", PackageResources.laws_and_states_md),
      Page("mail.md", PackageResources.mail_md),
      Page("mirrors.md", PackageResources.mirrors_md),
      Page("operations.md", PackageResources.operations_md),
      Page("plans.md", PackageResources.plans_md),
      Page("push.md", PackageResources.push_md),
      Page("reasons.md", reasons),
      Page("serving.md", PackageResources.serving_md),
      Page("signed-documents.md", PackageResources.signed_documents_md),
      Page("ssh.md", PackageResources.ssh_md),
      Page("tasks/block-one-version.md", PackageResources.block_one_version_md),
      Page("tasks/restore-a-backup.md", PackageResources.restore_a_backup_md),
      Page("tasks/spare-key.md", PackageResources.spare_key_md),
      Page("tasks/stop-everything.md", PackageResources.stop_everything_md),
      Page("tasks/undo-a-mistake.md", PackageResources.undo_a_mistake_md),
      Page("usage.md", PackageResources.usage_md),
      Page("verify.md", PackageResources.verify_md),
    ]
  }

  /// The catalogue of errors, from which messages, hints and exit codes come.
  package static var errors: [UInt8] { PackageResources.errors_md }

  /// The reasons of verdicts on evidence, with their words.
  package static var reasons: [UInt8] { PackageResources.reasons_md }

  /// The page of a name, or of a file as texts name it: `formats`, `formats.md`, `docs/formats.md`.
  package static func page(named word: String) -> Page? {
    let name = word.hasPrefix("docs/") ? String(word.dropFirst(5)) : word
    return all.first { $0.name == name || $0.file == name }
  }
}
