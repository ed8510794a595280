// What docs/clients/README.md uses of StoreKit.

import UIKit

// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKStoreProductParameterITunesItemIdentifier = "id"

@MainActor public protocol SKStoreProductViewControllerDelegate: NSObjectProtocol {}

open class SKStoreProductViewController: UIViewController {
  open weak var delegate: (any SKStoreProductViewControllerDelegate)?
  open func loadProduct(
    withParameters parameters: [String: Any], completionBlock block: ((Bool, (any Error)?) -> Void)? = nil
  ) {}
}
