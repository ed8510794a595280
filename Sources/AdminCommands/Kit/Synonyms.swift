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
    return [
      "app remove":
        "'pawl app retire SLUG' retires an app; 'pawl app void SLUG' strikes out one added by mistake",
      "approve":
        "'pawl plan sign FILE' agrees to a plan; when Apple has approved: 'pawl mark APP VERSION approved'",
      "block": stop + "; to keep users off one version, see 'pawl help block-one-version'",
      "cancel": undo, "delete": remove, "deploy": live, "disable": stop,
      "list": "'pawl app list' lists the apps, 'pawl releases APP' the releases of one",
      "log": "'pawl history' lists the events", "pause": stop,
      "reject": "when Apple has rejected it: 'pawl mark APP VERSION rejected'",
      "release": "'pawl show APP VERSION' shows a release; " + live, "remove": remove, "rollback": undo,
      "submit": "when it waits for review: 'pawl mark APP VERSION waiting'",
    ]
  }

  /// The state that a word means: one of App Store Connect's names, or the nearest of pawl's own.
  static func state(_ word: String) -> String? {
    let name = word.uppercased().map { $0 == "-" || $0 == " " ? "_" : String($0) }.joined()
    return WebhookEvent.state(name)?.rawValue
      ?? closest(to: word, among: ReleaseState.reachable.map(\.rawValue))
  }
}
