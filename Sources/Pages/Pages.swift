/// The pages of `docs` that the program itself shows: those that its errors, hints and helps name, and what these link to.
///
/// They are built in, since an archive with the program alone has no other copy. The folder `pages` has a link to each.
package enum Pages {
  /// A page by its name, with its file below `docs`.
  package struct Page: Sendable {
    package let name: String
    package let file: String
    /// Its Markdown; made when it is asked for.
    package let text: @Sendable () -> [UInt8]
  }

  /// All of them, in order of name.
  package static var all: [Page] {
    [
      Page(name: "agents", file: "agents.md") { PackageResources.agents_md },
      Page(name: "app-store-connect", file: "app-store-connect.md") { PackageResources.app_store_connect_md },
      Page(name: "backends", file: "backends.md") { PackageResources.backends_md },
      Page(name: "cheat-sheet", file: "cheat-sheet.md") { PackageResources.cheat_sheet_md },
      Page(name: "ci", file: "ci/README.md") { PackageResources.ci_md },
      Page(name: "clients", file: "clients/README.md") { PackageResources.clients_md },
      Page(name: "decision", file: "decision.md") { PackageResources.decision_md },
      Page(name: "decisions", file: "decisions.md") { PackageResources.decisions_md },
      Page(name: "notifications", file: "deliver/README.md") { PackageResources.notifications_md },
      Page(name: "documents", file: "documents.md") { PackageResources.documents_md },
      Page(name: "errors", file: "errors.md") { errors },
      Page(name: "evidence", file: "evidence.md") { PackageResources.evidence_md },
      Page(name: "formats", file: "formats.md") { PackageResources.formats_md },
      Page(name: "getting-started", file: "getting-started.md") { PackageResources.getting_started_md },
      Page(name: "glossary", file: "glossary.md") { PackageResources.glossary_md },
      Page(name: "install", file: "install.md") { PackageResources.install_md },
      Page(name: "json", file: "json.md") { PackageResources.json_md },
      Page(name: "laws-and-states", file: "laws-and-states.md") { PackageResources.laws_and_states_md },
      Page(name: "mail", file: "mail.md") { PackageResources.mail_md },
      Page(name: "mirrors", file: "mirrors.md") { PackageResources.mirrors_md },
      Page(name: "operations", file: "operations.md") { PackageResources.operations_md },
      Page(name: "plans", file: "plans.md") { PackageResources.plans_md },
      Page(name: "push", file: "push.md") { PackageResources.push_md },
      Page(name: "reasons", file: "reasons.md") { reasons },
      Page(name: "serving", file: "serving.md") { PackageResources.serving_md },
      Page(name: "signed-documents", file: "signed-documents.md") { PackageResources.signed_documents_md },
      Page(name: "ssh", file: "ssh.md") { PackageResources.ssh_md },
      Page(name: "block-one-version", file: "tasks/block-one-version.md") {
        PackageResources.block_one_version_md
      },
      Page(name: "restore-a-backup", file: "tasks/restore-a-backup.md") {
        PackageResources.restore_a_backup_md
      },
      Page(name: "spare-key", file: "tasks/spare-key.md") { PackageResources.spare_key_md },
      Page(name: "stop-everything", file: "tasks/stop-everything.md") {
        PackageResources.stop_everything_md
      },
      Page(name: "times", file: "times.md") { PackageResources.times_md },
      Page(name: "undo-a-mistake", file: "tasks/undo-a-mistake.md") { PackageResources.undo_a_mistake_md },
      Page(name: "usage", file: "usage.md") { PackageResources.usage_md },
      Page(name: "verify", file: "verify.md") { PackageResources.verify_md },
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
