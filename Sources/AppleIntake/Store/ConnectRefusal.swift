import JSON
package import ReleaseModel

extension Refusal {
  /// An answer of App Store Connect that cannot be read.
  package static func malformedAnswer(_ reason: String) -> Refusal {
    Refusal("asc.malformed", ["reason": reason])
  }

  /// Why Apple refuses, distinguished by what someone has to do.
  package static func connect(status: Int, title: String, retryAfter: String? = nil) -> Refusal {
    let key =
      switch status {
      case 401: "asc.unauthorized"
      case 403: "asc.forbidden"
      case 404: "asc.not-found"
      case 429: "asc.rate-limited"
      case 300...399: "asc.redirected"
      case 500...599: "asc.unavailable"
      default: "asc.refused"
      }
    return Refusal(
      key,
      ["said": title.isEmpty ? "" : ": \(title)", "when": retryAfter.map { "in \($0) seconds" } ?? "later"],
      details: ["retryAfter": .optional(retryAfter), "status": .integer(Int64(status))])
  }
}
