/// Where prompted clients of an app are sent.
package struct Lead: Sendable, Equatable {
  package let app: String
  /// The release; nil in another app, where it depends on what prompts a client.
  package let release: Release?
  package let url: String

  package var place: String { release?.version.text ?? app }
}

extension Snapshot {
  /// Where a redirect, or none, sends prompted clients at a moment: what a client older than all is told.
  package func lead(at moment: Timestamp, by redirect: Redirect? = nil) -> Lead? {
    let outlook = Outlook(Background(self), at: moment)
    var silent = Trace(client: Client(version: .zero), steps: nil)
    let old = Standing(
      isInReview: false, isBelowMandatory: false, isBelowTarget: true, policy: .force,
      isBelowReminder: true)
    let decision = outlook.decide(old, outlook.sight(os: nil), rule: nil, redirect: redirect, &silent)
    guard let app = decision.targetApp, let release = decision.target, let url = decision.url else {
      return nil
    }
    return Lead(app: app, release: app == line.app.slug ? release : nil, url: url)
  }

  /// The redirect that applies at a moment to every version without a narrower one.
  package func generalRedirect(at moment: Timestamp) -> Redirect? {
    line.redirects.filter { $0.isActive(at: moment) }.byPrecedence().first {
      $0.range.lower == nil && $0.range.upper == nil
    }
  }

  /// Where prompted clients are sent at a moment, unless a narrower redirect or a rule says otherwise.
  package func generalLead(at moment: Timestamp) -> Lead? {
    lead(at: moment, by: generalRedirect(at: moment))
  }
}
