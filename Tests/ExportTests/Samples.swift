import ReleaseModel

enum Sample: String, CaseIterable {
  case plain
  case forced
  case systems
  case forcedToNewerSystem = "forced-to-newer-system"
  case stopped
  case redirected
  case held
  case removed
  case migration
  case exception
  case twoPages = "two-pages"
  case deadVersion = "dead-version"
  case olderInReview = "older-in-review"
  case counts
  case largeComponent = "large-component"
  case enterprise
  case empty
  case watch

  func stage() throws -> Stage {
    var stage = Stage(channel: self == .enterprise ? .enterprise : .appStore)
    switch self {
    case .plain:
      try stage.live("1.0.0", "2.0.0", "2.1.0", "2.1.1")
      try stage.publish("2.2.0", .live, notes: "Faster <start> & \"more\"")
      try stage.publish("2.3.0", .inReview)
    case .forced:
      try stage.live("2.0.0", "2.1.0", "2.1.1", "2.2.0")
      try stage.rule("below:2.1.1", .force)
      stage.line.app.remindEvery = .always
    case .systems:
      try stage.publish("1.8.0", .live, minOS: "12.0", notes: "The last one for iOS 12")
      try stage.publish("1.8.4", .live, minOS: "12.0")
      try stage.publish("1.10.0", .live, minOS: "15.0")
      try stage.publish("1.12.0", .live, minOS: "15.0", notes: "For iOS 15")
      try stage.rule("below:1.8.4", .force)
    case .forcedToNewerSystem:
      try stage.publish("1.8.0", .live, minOS: "15.0")
      try stage.publish("1.9.0", .live, minOS: "12.0")
      try stage.publish("1.10.0", .live, minOS: "15.0")
      try stage.publish("1.12.0", .live, minOS: "15.0")
      try stage.rule("below:1.12", .force)
    case .stopped:
      try stage.live("1.0.0", "2.0.0")
      stage.line.app.isStopped = true
    case .redirected:
      stage.hosts.insert("dl.example.com")
      try stage.live("1.0.0", "2.0.0", "2.1.0")
      try stage.redirect("all", to: .url("https://dl.example.com/taxi?a=1&b=2"))
    case .held:
      stage.line.app.hold = TimeSpan(seconds: 86_400)
      try stage.publish("1.0.0", .live, visibleNow: true)
      try stage.publish("2.0.0", .live)
    case .removed:
      try stage.live("1.0.0", "2.0.0")
      try stage.mark("2.0.0", .removed)
    case .migration:
      try stage.live("7.2.0", "7.3.0")
      try stage.vanServes("1.0.0")
      try stage.redirect("all", to: .app("van"))
      try stage.rule("below:7.3", .force)
    case .exception:
      try stage.live("1.9.0", "1.10.0", "1.11.2", "1.12.0")
      try stage.rule("1.11.2", .force)
    case .twoPages:
      stage.hosts.insert("dl.example.com")
      try stage.live("1.9.0", "1.10.0", "1.11.0", "1.12.0")
      try stage.redirect("1.10.0", to: .url("https://dl.example.com/taxi"))
    case .deadVersion:
      try stage.live("1.9.0")
      try stage.publish("1.10.0", .rejected)
      try stage.live("1.11.0", "1.12.0")
    case .olderInReview:
      try stage.live("1.9.0")
      try stage.publish("1.10.0", .inReview)
      try stage.live("1.11.0", "1.12.0")
    case .counts:
      try stage.live("1.0", "1.1.0", "1.2", "1.9", "1.10")
    case .largeComponent:
      try stage.live("1.9.0", "1.11.0", "2.0.0")
    case .enterprise:
      stage.line.app.appleID = nil
      stage.line.app.storeURL = "https://dl.example.com/taxi"
      stage.hosts.insert("dl.example.com")
      try stage.live("1.2.0.1", "1.2.0.2", "1.3.0.1")
    case .empty: break
    case .watch:
      var watch = App(slug: "taxi", bundleID: "com.example.taxi", platform: .watchOS)
      watch.appleID = 7
      watch.hold = .zero
      stage.line.app = watch
      try stage.live("1.0.0", "2.0.0")
    }
    return stage
  }
}
