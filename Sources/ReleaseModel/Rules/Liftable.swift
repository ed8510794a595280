/// A row that is made once and applies until it is lifted, cleared or replaced.
package protocol Liftable: Record, Ranged, Timed {
  var number: Int64 { get }
  var isInForce: Bool { get set }
  var replacedBy: Int64? { get set }
  var from: Timestamp? { get set }
  var until: Timestamp? { get set }
}

extension Rule: Liftable {
  package var replacedBy: Int64? {
    get { nil }
    set {}
  }
}
/// Something of which a newer one replaces the older in its place.
package protocol Placed: Liftable {
  /// Whether both are about the same, so that the newer one replaces the older (law 9).
  func hasPlace(of other: Self) -> Bool
  /// Whether the newer of both wins where their ranges overlap.
  func competes(with other: Self) -> Bool
  /// Those of an app, in order of their numbers.
  static func all(of line: AppState) -> [Self]
  /// The change that puts one in the place of another.
  static func change(from before: Self?, to after: Self?) -> Change
}

extension Redirect: Placed {
  /// Whether the newer of both wins: always.
  package func competes(with other: Redirect) -> Bool { true }
  /// The redirects of an app.
  package static func all(of line: AppState) -> [Redirect] { line.redirects }
  /// The change of a redirect.
  package static func change(from before: Redirect?, to after: Redirect?) -> Change {
    .redirectSet(before: before, after: after)
  }
}

extension Setting: Placed {
  /// Whether the newer of both wins: not if one is for a phase that the other is not for.
  package func competes(with other: Setting) -> Bool { key == other.key && phase == other.phase }
  /// The settings of an app.
  package static func all(of line: AppState) -> [Setting] { line.settings }
  /// The change of a setting.
  package static func change(from before: Setting?, to after: Setting?) -> Change {
    .settingSet(before: before, after: after)
  }
}

extension Array where Element: Liftable {
  /// The index of the element with a number, or where it would go; elements are in order of their numbers.
  private func index(of number: Int64) -> Int { firstPosition { number <= $0.number } }

  /// The element with a number.
  package func element(_ number: Int64) -> Element? {
    let index = index(of: number)
    return index < count && self[index].number == number ? self[index] : nil
  }

  mutating func activate(_ element: Element, _ event: Int64) -> TouchedRow {
    var element = element
    element.isInForce = true
    element.event = event
    insert(element, at: index(of: element.number))
    return TouchedRow(element, .activated, event)
  }

  /// Takes out the element with a number, which is no longer in force.
  mutating func deactivate(_ number: Int64, replacedBy other: Int64?, _ event: Int64) -> [TouchedRow] {
    let index = index(of: number)
    guard index < count, self[index].number == number else { return [] }
    let former = remove(at: index)
    var element = former
    (element.isInForce, element.replacedBy) = (false, other)
    return [TouchedRow(element, .altered, event, from: former)]
  }

  mutating func replace(_ before: Element?, by after: Element?, _ event: Int64) -> [TouchedRow] {
    (before.map { deactivate($0.number, replacedBy: after?.number, event) } ?? [])
      + (after.map { [activate($0, event)] } ?? [])
  }
}
