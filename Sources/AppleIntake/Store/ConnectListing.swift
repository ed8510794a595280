package import JSON
package import ReleaseModel

/// What App Store Connect says of an app: its names, and all its versions.
package struct ConnectListing: Sendable, Equatable {
  package let name: String?
  package let bundleID: String
  package let sku: String?
  package let versions: [ConnectVersion]
  /// What was read, as a plan carries it, in the form of an answer.
  package let json: JSON

  /// - Parameters:
  ///   - app: An answer of `GET /v1/apps/{id}`.
  ///   - answers: The pages of its versions.
  package init(app: JSON, _ answers: [ConnectAnswer], appleID: Int64) throws(Refusal) {
    if app["errors"] != nil { _ = try ConnectAnswer(app, appleID: nil) }
    guard let data = app["data"], data["type"]?.string == "apps" else {
      throw .malformedAnswer("it is not about an app")
    }
    guard let id = data["id"]?.string, id == String(appleID) else {
      throw Refusal("asc.wrong-app", ["appleID": data["id"]?.string ?? ""])
    }
    let versions = answers.flatMap(\.versions).map(\.carried)
    try self.init([
      "app": [
        "bundleId": .optional(data["attributes"]?["bundleId"]?.string),
        "name": .optional(data["attributes"]?["name"]?.string),
        "sku": .optional(data["attributes"]?["sku"]?.string),
      ],
      "data": .array(versions.map(\.resource)), "included": .array(versions.flatMap(\.included)),
    ])
  }

  /// Reads what a plan carries.
  package init(_ json: JSON) throws(Refusal) {
    bundleID = json["app"]?["bundleId"]?.string ?? ""
    guard App.isBundleID(bundleID) else { throw .malformedAnswer("'\(bundleID)' is no bundle id") }
    (name, sku) = (json["app"]?["name"]?.string, json["app"]?["sku"]?.string)
    guard name?.isLine != false, sku?.isLine != false else {
      throw .malformedAnswer("the app's name or SKU is blank, too long or not one line")
    }
    versions = try ConnectAnswer(json, appleID: nil).versions
    self.json = json
  }
}

extension ConnectVersion {
  /// What was read of a version, in the form in which it is read.
  fileprivate var carried: (resource: JSON, included: [JSON]) {
    func link(_ type: String, _ isThere: Bool) -> JSON {
      ["data": isThere ? ["id": .string(id), "type": .string(type)] : .null]
    }
    let hasBuild = buildText != nil || systemText != nil
    var relationships = JSON.Object(hasBuild ? [("build", link("builds", true))] : [])
    if phased != nil || hasNoPhases {
      relationships["appStoreVersionPhasedRelease"] = link("appStoreVersionPhasedReleases", phased != nil)
    }
    let resource: JSON = [
      "type": "appStoreVersions", "id": .string(id),
      "attributes": [
        "appVersionState": .string(stateName), "createdDate": .optional(datedAt?.text),
        "platform": .string(platformText),
        "reviewType": isNotarized ? .string(ConnectVersion.notarization) : .null,
        "versionString": .string(versionText),
      ], "relationships": .object(relationships),
    ]
    let builds: JSON = [
      "type": "builds", "id": .string(id),
      "attributes": ["minOsVersion": .optional(systemText), "version": .optional(buildText)],
    ]
    let phases = phased.map { phased -> JSON in
      [
        "type": "appStoreVersionPhasedReleases", "id": .string(id),
        "attributes": [
          "phasedReleaseState": .string(phased.phase.rawValue.uppercased()),
          "startDate": .optional(phased.start?.text), "totalPauseDuration": .integer(phased.pausedDays),
        ],
      ]
    }
    return (resource, [hasBuild ? builds : nil, phases].compactMap(\.self))
  }
}
