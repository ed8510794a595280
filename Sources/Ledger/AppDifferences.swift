import ReleaseModel

extension App {
  /// The names of the options by which another app differs from this one.
  func differences(from other: App) -> [String] {
    var names: [String] = []
    if bundleID != other.bundleID { names.append("--bundle-id") }
    if appleID != other.appleID { names.append("--apple-id") }
    if name != other.name { names.append("--name") }
    if sku != other.sku { names.append("--sku") }
    if platform != other.platform { names.append("--platform") }
    if channel != other.channel { names.append("--channel") }
    if storeURL != other.storeURL { names.append("--store-url") }
    if policy != other.policy { names.append("--policy") }
    if hold != other.hold { names.append("--hold") }
    if remindEvery != other.remindEvery { names.append("--remind-every") }
    if asksSince?.text != other.asksSince?.text { names.append("--asks-since") }
    if countries != other.countries { names.append("--countries") }
    if isLiveByLookup != other.isLiveByLookup { names.append("--live-by") }
    if remindAfter != other.remindAfter { names.append("--remind-after") }
    if expect != other.expect { names.append("--expect") }
    if isStopped != other.isStopped { names.append("stop") }
    return names
  }
}
