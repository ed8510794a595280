package import Crypto
import JSON
package import ReleaseModel

/// A token that authorizes one request to App Store Connect's API (App Store Connect API, "Generating Tokens
/// for API Requests"; RFC 7519).
package enum ConnectToken {
  /// How long a token is valid; Apple accepts twenty minutes at most.
  package static let life = TimeSpan(seconds: 300)

  /// - Parameters:
  ///   - issuer: Who the key belongs to; nil for an individual key.
  ///   - scope: The requests it is for, such as `GET /v1/apps/1524608462/appStoreVersions`.
  /// - Returns: The compact form (RFC 7515 §7.1); nil if libcrypto cannot sign.
  package static func sign(
    _ key: ES256Key, keyID: String, issuer: String?, scope: [String], at now: Timestamp
  ) -> String? {
    let header: JSON = ["alg": "ES256", "kid": .string(keyID), "typ": "JWT"]
    var claims = JSON.Object([
      ("aud", "appstoreconnect-v1"), ("exp", .integer((now + life).seconds)), ("iat", .integer(now.seconds)),
      ("scope", .array(scope.map(JSON.string))),
    ])
    if let issuer { claims["iss"] = .string(issuer) } else { claims["sub"] = "user" }
    let input = "\(Base64URL.encode(header.bytes())).\(Base64URL.encode(JSON.object(claims).bytes()))"
    return key.sign(Array(input.utf8)).map { "\(input).\(Base64URL.encode($0))" }
  }
}
