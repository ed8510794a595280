// What docs/clients/README.md uses of SwiftUI, declared as Apple does, so that its blocks compile anywhere.

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
  public init(_ title: String, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {}
}
public struct VStack<Content: View>: Leaf {
  public typealias Body = Never
  public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) {}
}
public struct ScrollView<Content: View>: Leaf {
  public typealias Body = Never
  public init(@ViewBuilder content: () -> Content) {}
}
public struct UIColor: Sendable { public static let systemBackground = UIColor() }
public struct Color: Leaf {
  public typealias Body = Never
  public init(_ color: UIColor) {}
}
public struct AccessibilityTraits: Sendable {
  public static let isHeader = AccessibilityTraits(), isModal = AccessibilityTraits()
}

@propertyWrapper public struct Binding<Value> {
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { wrappedValue = get() }
  public var wrappedValue: Value
}
@propertyWrapper public struct State<Value> {
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
}
@MainActor @propertyWrapper public struct Environment<Value> {
  public init(_ path: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}
public struct EnvironmentValues {
  public var scenePhase: ScenePhase { .active }
  @MainActor public var openURL: OpenURLAction { OpenURLAction() }
}
public enum ScenePhase: Sendable { case background, inactive, active }
@MainActor public struct OpenURLAction { public func callAsFunction(_ url: URL) {} }

extension View {
  public func alert<Actions: View, Message: View>(
    _ title: String, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions,
    @ViewBuilder message: () -> Message
  ) -> some View { Changed() }
  public func task<ID: Equatable>(
    id: ID, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { Changed() }
  public func padding() -> some View { Changed() }
  public func frame(maxWidth: Double?, maxHeight: Double?) -> some View { Changed() }
  public func background(_ color: Color) -> some View { Changed() }
  public func overlay<Content: View>(@ViewBuilder content: () -> Content) -> some View { Changed() }
  public func accessibilityHidden(_ hidden: Bool) -> some View { Changed() }
  public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { Changed() }
}
