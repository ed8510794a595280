// What docs/clients/appkit.md uses of AppKit, declared as Apple does, so that its block compiles anywhere.

@_exported import Foundation

@MainActor open class NSAlert: NSObject {
  public override init() {}
  open var messageText = ""
  open var informativeText = ""
  @discardableResult open func addButton(withTitle title: String) -> NSObject { NSObject() }
  open func runModal() -> NSApplication.ModalResponse { .alertFirstButtonReturn }
}
@MainActor open class NSApplication: NSObject {
  public struct ModalResponse: Sendable, Equatable {
    public static let alertFirstButtonReturn = ModalResponse()
  }
  open class var shared: NSApplication { NSApplication() }
  open func terminate(_ sender: Any?) {}
}
open class NSWorkspace: NSObject {
  open class var shared: NSWorkspace { NSWorkspace() }
  @discardableResult open func open(_ url: URL) -> Bool { true }
}
