// What docs/clients/swiftui.md uses of SwiftUI, declared as Apple does, so that its block compiles anywhere; and as much
// of a screen as shows what it asks for, and presses its buttons.

@_exported import Foundation

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}
/// A view that is made of no others.
public protocol Leaf: View where Body == Never {}
extension Leaf { public var body: Never { fatalError() } }
extension Never: Leaf { public typealias Body = Never }

@resultBuilder public struct ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
    (repeat each Content)
  > {
    TupleView()
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<Yes: View, No: View>(first: Yes) -> ConditionalContent<Yes, No> { .init() }
  public static func buildEither<Yes: View, No: View>(second: No) -> ConditionalContent<Yes, No> { .init() }
}
public struct TupleView<T>: Leaf { public typealias Body = Never }
public struct ConditionalContent<Yes, No>: Leaf { public typealias Body = Never }
public struct Changed: Leaf { public typealias Body = Never }
extension Optional: View, Leaf where Wrapped: View { public typealias Body = Never }

public struct Text: Leaf {
  public typealias Body = Never
  public init(_ text: String) {}
}
public struct ButtonRole: Sendable { public static let cancel = ButtonRole() }
public struct Button: Leaf {
  public typealias Body = Never
  public init(_ title: String, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {
    MainActor.assumeIsolated { Screen.buttons[title] = action }
  }
}
public struct VStack<Content: View>: Leaf {
  public typealias Body = Never
  public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) { _ = content() }
}
public struct ScrollView<Content: View>: Leaf {
  public typealias Body = Never
  public init(@ViewBuilder content: () -> Content) { _ = content() }
}
public struct UIColor: Sendable { public static let systemBackground = UIColor() }
public struct Color: Leaf {
  public typealias Body = Never
  public init(_ color: UIColor) {}
  public static let black = Color(UIColor())
}
public struct AccessibilityTraits: Sendable {
  public static let isHeader = AccessibilityTraits(), isModal = AccessibilityTraits()
}

@propertyWrapper public struct Binding<Value> {
  private let get: () -> Value, set: (Value) -> Void
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    (self.get, self.set) = (get, set)
  }
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }
}
@propertyWrapper public struct State<Value> {
  private final class Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
  }
  private let storage: Storage
  public init(wrappedValue: Value) { storage = Storage(wrappedValue) }
  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set { storage.value = newValue }
  }
}
@MainActor @propertyWrapper public struct Environment<Value> {
  private let path: KeyPath<EnvironmentValues, Value>
  public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }
  public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}
public struct EnvironmentValues {
  public var scenePhase: ScenePhase { .active }
  @MainActor public var openURL: OpenURLAction { OpenURLAction() }
}
public enum ScenePhase: Sendable { case background, inactive, active }
@MainActor public struct OpenURLAction {
  public func callAsFunction(_ url: URL) { Screen.opened.append(url) }
}

/// What a view asked for when its body was read last.
@MainActor public enum Screen {
  public static var alert: Binding<Bool>?
  public static var task: (id: Any, run: @Sendable () async -> Void)?
  public static var buttons: [String: @MainActor () -> Void] = [:]
  public static var opened: [URL] = []

  /// Reads a view's body, as SwiftUI does whenever its state changed, and runs its task.
  public static func show(_ view: some View) async {
    (alert, task, buttons) = (nil, nil, [:])
    _ = view.body
    await task?.run()
    buttons = [:]
    _ = view.body
  }
}

extension View {
  public func alert<Actions: View, Message: View>(
    _ title: String, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
    @ViewBuilder message: () -> Message
  ) -> some View {
    Screen.alert = isPresented
    if isPresented.wrappedValue { (_, _) = (actions(), message()) }
    return Changed()
  }
  public func task<ID: Equatable>(
    id: ID, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View {
    Screen.task = (id, action)
    return Changed()
  }
  public func padding() -> some View { Changed() }
  public func frame(maxWidth: Double?, maxHeight: Double?) -> some View { Changed() }
  public func background(_ color: Color) -> some View { Changed() }
  public func overlay<Content: View>(@ViewBuilder content: () -> Content) -> some View {
    _ = content()
    return Changed()
  }
  public func accessibilityHidden(_ hidden: Bool) -> some View { Changed() }
  public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { Changed() }
}
