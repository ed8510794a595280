package import ReleaseModel

/// The state of a version in App Store Connect: every `appVersionState`, and the names of `appStoreState`,
/// which it replaced (App Store Connect API, `AppVersionState` and `AppStoreVersionState`).
package enum AppVersionState: String, Sendable, CaseIterable {
  case accepted = "ACCEPTED"
  case developerRejected = "DEVELOPER_REJECTED"
  case inReview = "IN_REVIEW"
  case invalidBinary = "INVALID_BINARY"
  case metadataRejected = "METADATA_REJECTED"
  case pendingAppleRelease = "PENDING_APPLE_RELEASE"
  case pendingDeveloperRelease = "PENDING_DEVELOPER_RELEASE"
  case prepareForSubmission = "PREPARE_FOR_SUBMISSION"
  case processingForDistribution = "PROCESSING_FOR_DISTRIBUTION"
  case readyForDistribution = "READY_FOR_DISTRIBUTION"
  case readyForReview = "READY_FOR_REVIEW"
  case rejected = "REJECTED"
  case replacedWithNewVersion = "REPLACED_WITH_NEW_VERSION"
  case waitingForExportCompliance = "WAITING_FOR_EXPORT_COMPLIANCE"
  case waitingForReview = "WAITING_FOR_REVIEW"
  // The older names.
  case developerRemovedFromSale = "DEVELOPER_REMOVED_FROM_SALE"
  case pendingContract = "PENDING_CONTRACT"
  case preorderReadyForSale = "PREORDER_READY_FOR_SALE"
  case processingForAppStore = "PROCESSING_FOR_APP_STORE"
  case readyForSale = "READY_FOR_SALE"
  case removedFromSale = "REMOVED_FROM_SALE"

  package var releaseState: ReleaseState {
    switch self {
    // READY_FOR_REVIEW comes before submission: the version can still be changed.
    case .prepareForSubmission, .readyForReview: .prepared
    case .waitingForReview, .waitingForExportCompliance: .waiting
    case .inReview: .inReview
    case .accepted, .pendingAppleRelease, .pendingDeveloperRelease, .pendingContract, .preorderReadyForSale,
      .processingForDistribution, .processingForAppStore:
      .approved
    case .readyForDistribution, .readyForSale: .live
    case .rejected, .metadataRejected, .invalidBinary: .rejected
    case .developerRejected: .withdrawn
    case .replacedWithNewVersion: .superseded
    case .removedFromSale, .developerRemovedFromSale: .removed
    }
  }
}
