// What docs/clients/README.md uses of UIKit, declared as Apple does, so that its blocks compile anywhere.

@_exported import Foundation

@MainActor open class UIResponder: NSObject {}

open class UIView: UIResponder {
  open var backgroundColor: UIColor?
  open var isHidden = false
  open var accessibilityViewIsModal = false
  open var accessibilityTraits = UIAccessibilityTraits.header
  open var translatesAutoresizingMaskIntoConstraints = true
  open var layoutMarginsGuide: UILayoutGuide { UILayoutGuide() }
  open var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
  open var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
  open var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
  open var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
  open var widthAnchor: NSLayoutDimension { NSLayoutDimension() }
  open var heightAnchor: NSLayoutDimension { NSLayoutDimension() }
  open var centerXAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
  open func addSubview(_ view: UIView) {}
}
public struct UIAccessibilityTraits: Sendable { public static let header = UIAccessibilityTraits() }
@MainActor public enum UIAccessibility {
  public struct Notification: Sendable { public static let screenChanged = Notification() }
  public static func post(notification: Notification, argument: Any?) {}
}
open class UIScrollView: UIView {
  open var contentLayoutGuide: UILayoutGuide { UILayoutGuide() }
  open var frameLayoutGuide: UILayoutGuide { UILayoutGuide() }
}
open class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
  open func constraint(greaterThanOrEqualToConstant constant: Double) -> NSLayoutConstraint {
    NSLayoutConstraint()
  }
}
public final class UIFont: Sendable {
  public enum TextStyle: Sendable { case headline, body }
  public class func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont() }
}

public final class UIColor { public class var systemBackground: UIColor { UIColor() } }
@MainActor open class UILayoutGuide {
  open var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
  open var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
  open var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
  open var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
  open var widthAnchor: NSLayoutDimension { NSLayoutDimension() }
  open var centerXAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
}
@MainActor open class NSLayoutAnchor<AnchorType: AnyObject> {
  open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>) -> NSLayoutConstraint {
    NSLayoutConstraint()
  }
}
open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}
open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}
@MainActor open class NSLayoutConstraint {
  public enum Axis: Int, Sendable { case horizontal, vertical }
  open class func activate(_ constraints: [NSLayoutConstraint]) {}
}

open class UILabel: UIView {
  open var text: String?
  open var numberOfLines = 1
  open var font: UIFont? = UIFont()
  open var adjustsFontForContentSizeCategory = false
}
public struct UIControl {
  public struct Event: Sendable { public static let touchUpInside = Event() }
  public struct State: Sendable { public static let normal = State() }
}
public typealias UIActionHandler = (UIAction) -> Void
@MainActor public final class UIAction { public init(handler: @escaping UIActionHandler) {} }
open class UIButton: UIView {
  public enum ButtonType: Int, Sendable { case custom, system }
  public convenience init(type: ButtonType) { self.init() }
  open func setTitle(_ title: String?, for state: UIControl.State) {}
  open func addAction(_ action: UIAction, for events: UIControl.Event) {}
}
open class UIStackView: UIView {
  public convenience init(arrangedSubviews: [UIView]) { self.init() }
  open var axis = NSLayoutConstraint.Axis.horizontal
  open var spacing = 0.0
}

open class UIViewController: UIResponder {
  public convenience override init() { self.init(nibName: nil, bundle: nil) }
  public init(nibName: String?, bundle: Bundle?) {}
  public required init?(coder: NSCoder) { nil }
  open var view = UIView()
  open var presentedViewController: UIViewController? { nil }
  open func viewDidLoad() {}
  open func viewDidAppear(_ animated: Bool) {}
  open func present(_ other: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
  open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
}
open class UIAlertController: UIViewController {
  public enum Style: Int, Sendable { case actionSheet, alert }
  public convenience init(title: String?, message: String?, preferredStyle: Style) {
    self.init(nibName: nil, bundle: nil)
  }
  open func addAction(_ action: UIAlertAction) {}
}
@MainActor open class UIAlertAction {
  public enum Style: Int, Sendable { case `default`, cancel }
  public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {}
}
open class UIWindowScene: UIResponder { open var windows: [UIWindow] { [] } }
open class UIWindow: UIView {
  public struct Level: Sendable { public static let alert = Level() }
  public init(windowScene: UIWindowScene) {}
  open var windowLevel = Level.alert
  open var rootViewController: UIViewController?
  open var isKeyWindow: Bool { false }
  open func makeKey() {}
  open func makeKeyAndVisible() {}
}
open class UIApplication: UIResponder {
  public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
  open class var shared: UIApplication { UIApplication() }
  open func open(
    _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
    completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {}
}
