import JSON
import ReleaseModel

extension Family {
  /// A state, as little of it as a decision may depend on, and what its clients are told at a moment; times in seconds from
  /// the walk's.
  func sample(_ place: Int, at moment: Timestamp) -> JSON {
    let snapshot = snapshot(place)
    let decider = Decider(snapshot, at: moment)
    let told = clients.flatMap { client in
      systems.map { os -> JSON in
        let decision = decider.decide(Client(version: client, os: os))
        return .array([
          .string(client.text), .optional(os?.text), .string(decision.action.rawValue),
          .bool(decision.review),
          .string(decision.decidedBy.rawValue), .optional(decision.target?.version.text),
          .optional(decision.targetApp),
        ])
      }
    }
    return [
      "at": seconds(moment), "others": .object(JSON.Object(snapshot.others.map { ($0, sample($1)) })),
      "line": sample(snapshot.line), "told": .array(told),
    ]
  }

  private func seconds(_ moment: Timestamp?) -> JSON { .optional(moment.map { $0.seconds - now.seconds }) }

  private func sample(_ line: AppState) -> JSON {
    func ends(_ range: VersionRange) -> [JSON] {
      [range.lower, range.upper].map { bound in
        bound.map { .array([.string($0.version.text), .bool($0.isIncluded)]) } ?? .null
      }
    }
    return [
      "stopped": .bool(line.app.isStopped),
      "releases": .array(
        line.everRecorded.map { release in
          .array([
            .string(release.version.text), .string(release.state.rawValue), seconds(release.visibleAt),
            .bool(release.former?.state == .removed), .bool(release.isMandatory),
            .optional(release.minOS?.text),
          ])
        }),
      "rules": .array(
        line.rules.map { rule in
          .array(
            ends(rule.range) + [
              .string(rule.action.rawValue), seconds(rule.from), seconds(rule.until),
              .optional(rule.destination?.text),
            ])
        }),
      "redirects": .array(line.redirects.map { .array(ends($0.range) + [.string($0.destination.text)]) }),
    ]
  }
}
