// The view of docs/clients/swiftui.md on the screen of the tests, with 'fetch' replaced: what it shows, and what counts as
// shown.

import SwiftUI

@MainActor private var action = "remind"

nonisolated(unsafe) private var kept: Data?

@MainActor let pawl = {
  var configuration = PawlClient.Configuration(base: URL(fileURLWithPath: "/"), app: "taxi")
  (configuration.version, configuration.load, configuration.save) = ("7.0", { kept }, { kept = $0 })
  configuration.fetch = { request in
    let action = await action
    let row =
      #"{"lo":"","hi":":","validFrom":0,"validUntil":253402300800,"action":"\#(action)","review":false,"target":"7.4.0","targetApp":"taxi","url":"https://apps.apple.com/app/id1","settings":{},"tiers":[]}"#
    let body = Data(#"{"app":"taxi","from":0,"rows":[\#(row)],"notes":{}}"#.utf8)
    guard let url = request.url,
      let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
    else { throw PawlClient.Doubt.offline }
    return (body, response)
  }
  return PawlClient(configuration)
}()

@main struct Run {
  @MainActor static func main() async {
    // At a bad moment nobody is asked.
    await Screen.show(UpdateView(mayAsk: false) { Text("ride") })
    precondition(Screen.alert?.wrappedValue == false && kept == nil)

    func start() -> UpdateView<Text> { UpdateView { Text("app") } }
    let first = start()
    await Screen.show(first)
    precondition(Screen.alert?.wrappedValue == true && Screen.buttons.keys.contains("Later"))
    #if os(watchOS)
      precondition(Screen.buttons["Update"] == nil)
    #endif
    // A sheet of the app is open, so the alert waits, however often the app comes to the front, and at the next start.
    for view in [first, first, start(), first] {
      await Screen.show(view)
      precondition(Screen.alert?.wrappedValue == true)
    }
    // The sheet is gone, and the user answers: SwiftUI takes the alert away.
    Screen.buttons["Later"]?()
    Screen.alert?.wrappedValue = false
    await counted { await pawl.prompt() == nil }
    for view in [first, start(), first] {
      await Screen.show(view)
      precondition(Screen.alert?.wrappedValue == false)
    }

    // A force stands on a wall, and goes when the answer does.
    action = "force"
    await Screen.show(first)
    precondition(Screen.alert?.wrappedValue == false)
    #if os(watchOS)
      precondition(Screen.buttons.isEmpty && Screen.opened.isEmpty)
    #else
      Screen.buttons["Update"]?()
      precondition(Screen.opened.count == 1)
    #endif
    action = "none"
    await Screen.show(first)
    precondition(Screen.buttons.isEmpty)
  }

  /// Waits for what a button began.
  @MainActor private static func counted(_ isDone: () async -> Bool) async {
    for _ in 0..<1000 {
      if await isDone() { return }
      await Task.yield()
    }
    preconditionFailure("it was not counted")
  }
}
