import JSON
package import ReleaseModel

/// The body of a webhook is not the JSON of an event.
package struct WebhookFault: Error {}

/// A notification of App Store Connect, proved by its HMAC.
///
/// Apple: "Configuring webhook notifications" and "Webhook events" of the App Store Connect API. A webhook
/// covers all platforms of an app, and the payload names neither app, platform nor version, only the
/// version's own id.
package struct WebhookEvent: Sendable, Equatable {
  /// If it arrives again, that is a replay.
  package let id: String
  package let type: String
  /// The state that the version entered, in Apple's words; nil for other notifications.
  package let newValue: String?
  package let timestamp: Timestamp?
  /// App Store Connect's own id of the version it is about; nil if it names none.
  package let versionID: String?
  package let isPing: Bool

  package static let stateUpdated = "appStoreVersionAppVersionStateUpdated"

  package init(_ body: [UInt8]) throws(WebhookFault) {
    guard let data = (try? JSON(parsing: body))?["data"], let id = data["id"]?.string,
      let type = data["type"]?.string, !id.isEmpty
    else { throw WebhookFault() }
    self.id = id
    self.type = type
    newValue = data["attributes"]?["newValue"]?.string
    timestamp = data["attributes"]?["timestamp"]?.string.flatMap { try? Timestamp($0) }
    let instance = data["relationships"]?["instance"]?["data"]
    versionID = instance?["type"]?.string == "appStoreVersions" ? instance?["id"]?.string : nil
    isPing =
      data["attributes"]?["ping"]?.bool == true || type == "webhookPingCreated" || type == "webhookPings"
  }

  /// The release state that a state of the API means; nil for those that change nothing here: a webhook about
  /// a version that is not submitted yet, or was replaced, is no news.
  package static func state(_ name: String) -> ReleaseState? {
    let state = AppleVocabulary.state(name)
    return state == .prepared || state == .superseded ? nil : state
  }
}
