// What docs/clients/README.md uses of UIKit, declared as Apple does, so that its blocks compile anywhere.

@_exported import Foundation

@MainActor open class UIResponder: NSObject {}

open class UIView: UIResponder {
  open var backgroundColor: UIColor?
  open var isHidden = false
  open var translatesAutoresizingMaskIntoConstraints = true
  open var layoutMarginsGuide: UILayoutGuide { UILayoutGuide() }
  open var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
  open var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
  open var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
  open func addSubview(_ view: UIView) {}
}

public final class UIColor { public class var systemBackground: UIColor { UIColor() } }
@MainActor open class UILayoutGuide {
  open var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
  open var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor() }
  open var centerYAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor() }
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

public enum NSTextAlignment: Int, Sendable { case left, center }
open class UILabel: UIView {
  open var text: String?
  open var numberOfLines = 1
  open var textAlignment = NSTextAlignment.left
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
