import AppleIntake
import CommandLineKit
import ReleaseModel

/// What people and Apple call what has another name in pawl: understood in hints, never executed.
enum Synonyms {
  /// What to do for words that are no command, and no app either.
  ///
  /// Someone who types one of them in an emergency runs what the answer names. So it names first what makes no
  /// prompt stricter; what does is named only where the word can mean nothing else.
  static var answers: [String: String] {
    let undo = "'pawl undo' takes the last change back, 'pawl undo SEQ' another one; it asks first"
    let stop = "'pawl stop APP' ends all prompts of an app at once"
    let live = "once the store serves it: 'pawl mark APP VERSION live'"
    let remove =
      "'pawl stop APP' ends all prompts; 'pawl rules APP', 'pawl redirects APP' and 'pawl settings APP' list what can end"
    let list = "'pawl app list' lists the apps, 'pawl releases APP' the releases of one"
    let show = "'pawl show APP VERSION' shows a release, 'pawl show APP' an app, 'pawl show SEQ' an event"
    let why = "'pawl check APP VERSION --explain' says what a client is told, and why"
    return [
      "app remove":
        "'pawl app retire APP' retires an app; 'pawl app void APP' strikes out one added by mistake",
      "approve":
        "'pawl plan sign FILE' approves a plan; when Apple has approved: 'pawl mark APP VERSION approved'",
      "add": "'pawl app add APP' adds an app, 'pawl publish APP VERSION' a release",
      "audit":
        "'pawl verify' checks the record, 'pawl history' lists it, 'pawl report FILE' prints it for an auditor",
      "ban": stop + "; to keep users off one version, see 'pawl help block-one-version'",
      "blame": "'pawl show APP VERSION --blame' names who last changed each field",
      "config": "'pawl app show APP' shows an app's options, 'pawl app set APP' changes them",
      "create": "'pawl init' makes a ledger, 'pawl app add APP' an app, 'pawl publish APP VERSION' a release",
      "diff":
        "a change with --dry-run shows what it would do; 'pawl check APP --as-of SEQ' what was told before",
      "edit": "'pawl amend APP VERSION' changes a release, 'pawl app set APP' an app",
      "explain": why, "get": show, "halt": stop, "info": show, "kill": stop, "ls": list,
      "logs": "'pawl history' lists the events", "new": "'pawl publish APP VERSION' records a new release",
      "promote": live, "query": why,
      "rename": "'pawl app set APP --name NAME' changes an app's name; its slug stays",
      "revert": undo, "ship": live,
      "start": "'pawl resume APP' lets a stopped app prompt again; it asks first",
      "told": why, "unstop": "'pawl resume APP' lets a stopped app prompt again; it asks first",
      "upgrade":
        "'pawl help install' says how to get a newer pawl; for clients: 'pawl help force'", "view": show,
      "why": why,
      "block": stop + "; to keep users off one version, see 'pawl help block-one-version'",
      "cancel": undo, "delete": remove, "deploy": live, "disable": stop,
      "list": list,
      "log": "'pawl history' lists the events", "pause": stop,
      "reject": "when Apple has rejected it: 'pawl mark APP VERSION rejected'",
      "release": "'pawl show APP VERSION' shows a release; " + live, "remove": remove, "rollback": undo,
      "submit": "when it waits for review: 'pawl mark APP VERSION waiting'",
    ]
  }

  /// The state that a word means: one of App Store Connect's names, or the nearest of pawl's own.
  static func state(_ word: String) -> String? {
    let name = word.uppercased().map { $0 == "-" || $0 == " " ? "_" : String($0) }.joined()
    return ReleaseState(connectState: name).flatMap {
      ReleaseState.reachable.contains($0) ? $0.rawValue : nil
    }
      ?? closest(to: word, among: ReleaseState.reachable.map(\.rawValue))
  }
}
