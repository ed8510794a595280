package import JSON

/// A key and value handed to clients, which may differ while their version is in review and after.
///
/// Settings choose between services, such as two map keys; Apple's guideline 2.3.1 forbids hiding features.
package struct Setting: Ranged, Timed, Record {
  /// When a setting applies.
  package enum Phase: String, WordValue, CaseIterable {
    case review
    case released
  }

  @Unsaid package internal(set) var number: Int64
  package internal(set) var key: String
  package internal(set) var range: VersionRange
  package internal(set) var phase: Phase?
  @Verbatim package internal(set) var value: String
  package var from: Timestamp?
  package var until: Timestamp?
  @Unsaid package var isInForce = true
  @Unsaid package var replacedBy: Int64?
  @Unsaid package var event: Int64

  package init(
    number: Int64, key: String, range: VersionRange, phase: Phase?, value: String, from: Timestamp? = nil,
    until: Timestamp? = nil, event: Int64 = 0
  ) {
    (self.number, self.key, self.range, self.phase, self.value) = (number, key, range, phase, value)
    (self.from, self.until, self.event) = (from, until, event)
  }

  /// Whether this wins over another: one for a phase beats one without; otherwise the range decides.
  package func wins(over other: Setting) -> Bool {
    (phase != nil) != (other.phase != nil) ? phase != nil : winsByRange(over: other)
  }

  /// Whether it is for the same key, versions, phase and window, so that the newer replaces the older (law
  /// 9).
  package func hasPlace(of other: Setting) -> Bool {
    key == other.key && range == other.range && phase == other.phase && hasWindow(of: other)
  }

  package static let longestValue = 4_096
  /// The most settings of an app that are not over, and the most bytes of their keys and values together.
  package static let (most, mostBytes) = (100, 65_536)

  /// Whether a text may be a key: up to 64 letters, digits, dots, hyphens and underscores.
  package static func isKey(_ text: String) -> Bool {
    text.isWord(of: 1...64, marks: "-._")
  }

  package static let table = RecordTable.setting
  package static let columns = Columns(of: Setting.self)
  package static let blank = Setting(number: 0, key: "", range: .all, phase: nil, value: "")

  package var rowID: Int64? { number }

  package mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(FieldFault) {
    try fields.field(&number, "number", "number", .fixed)
    try fields.owner("app_id", "app")
    try fields.field(&key, "key", "key", .fixed)
    try fields.field(&range, "range", "range", .fixed)
    try fields.field(&phase, "during", "during", .fixed)
    try fields.field(&value, "value", "value", .fixed)
    try fields.field(&from, "from_at", "from")
    try fields.field(&until, "until_at", "until")
    try fields.field(&isInForce, "active", nil)
    try fields.field(&replacedBy, "replaced_by", nil)
    try fields.field(&event, "event_seq", nil)
  }
}

extension Setting {
  /// Values by key, as answers have them.
  package static func json(_ values: [String: String]) -> JSON {
    .object(JSON.Object(values.map { ($0.key, .string($0.value)) }))
  }
}
