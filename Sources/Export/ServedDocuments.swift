import Crypto
package import Platform
package import ReleaseModel

// What the documents in a directory tell clients, as schedules, so that a take-over compares them as changes are.

extension Exporter {
  /// The files in a directory by app, format and path, in clear.
  ///
  /// - Throws: `SystemError` if this account may not look.
  package func served() throws(SystemError) -> [String: [String: [String: [UInt8]]]] {
    guard let found = try OwnedTree.look(at: root, agreement: agreement) else { return [:] }
    var served: [String: [String: [String: [UInt8]]]] = [:]
    for (slug, cells) in found.state.cells {
      for format in ExportFormats.all {
        guard let cell = cells[format.name] else { continue }
        let top = try? Directory.open(root, makingWith: nil, group: agreement.group).directory(format.name)
        let folder = (try? top?.directory(slug)) ?? nil
        for suffix in cell.files.keys {
          let place = suffix.hasPrefix("/") ? (folder, String(suffix.dropFirst())) : (top, slug + suffix)
          guard let bytes = (try? place.0?.read(place.1, limit: ExportRun.documentLimit)) ?? nil else {
            continue
          }
          served[slug, default: [:]][format.name, default: [:]]["\(format.name)/\(slug)\(suffix)"] =
            format.isSigned ? JWS(bytes)?.payload : bytes
        }
      }
    }
    return served
  }

  /// What clients are told by the documents in the directory, and what they would be told by those of a source: for each
  /// app the formats that know most first.
  package func replacements(by source: some ExportSource) throws -> [Replacement] {
    let (served, slugs) = (try served(), Set(try source.subjects().map(\.slug)))
    let written = formats?.map(\.name) ?? (served.isEmpty ? [ExportFormats.standard] : [])
    return try slugs.union(served.keys).sorted().flatMap { slug in
      let answers = slugs.contains(slug) ? try source.answers(of: slug, includesUnreleased: false) : nil
      return ExportFormats.all.flatMap { format -> [Replacement] in
        let there = served[slug]?[format.name] ?? [:]
        let isWritten = written.contains(format.name) || formats == nil && !there.isEmpty
        guard isWritten || !there.isEmpty else { return [] }
        return format.replacements(of: there, by: isWritten ? answers : nil, app: slug, from: moment)
      }
    }
  }
}

extension DocumentFormat {
  /// What each kind of client is told by some documents, and would be told by those of an app's answers, or by none.
  package func replacements(
    of there: [String: [UInt8]], by answers: AppAnswers?, app: String, from now: Timestamp
  ) -> [Replacement] {
    // What says times says all that is to come in one document.
    let moments = saysTimes ? [now] : answers?.moments(from: now) ?? [now]
    let made = moments.map { answers?.at($0).made(as: self).documents.byPath ?? [:] }
    let before = clients(of: there, app: app, at: now)
    let after = zip(moments, made).map { clients(of: $1, app: app, at: $0) }
    // A schedule says all that it tells; of other documents, what is no prompt is known only to be another text.
    func text(_ path: String, _ files: [String: [UInt8]]) -> [UInt8]? {
      files[path] ?? files["\(name)/\(app)/default.json"]
    }
    let paths = Set(there.keys).union(made[0].keys)
    let isOther =
      !saysTimes
      && paths.contains { path in
        let (file, wanted) = (text(path, there), text(path, made[0]))
        return wanted.map { file?.says($0) != true } ?? (file != nil)
      }
    let rest: Impact.Rest = isOther ? .details : .nothing
    // Who reads the schedule knows all that the others do, and what is to come; an earlier pawl wrote none.
    let exact = zip(before, after[0]).filter { old, _ in
      old.isExact && (there.isEmpty || old.path.flatMap { there[$0] } != nil)
    }.map { old, new -> Replacement in
      let lost = there.isEmpty ? Schedule.nothing(app, from: now) : .unknown(app, from: now)
      return (old.schedule ?? lost, new.schedule ?? .nothing(app, from: now), rest)
    }
    return exact
      + before.indices.filter { !before[$0].isExact }.map { index -> Replacement in
        let (old, new) = (before[index], after.map { $0[index] })
        let bounds = ([old] + new).flatMap(\.cuts)
        var systems = ([old] + new).flatMap(\.systems)
        systems.sortUniquely()
        let lost = there.isEmpty ? Prompt(.none) : nil
        return (
          Schedule(app, at: moments, bounds: bounds, systems: systems) { version in
            let (told, ours) = (old.conclude(version), new.map { $0.conclude(version) })
            return { moment, os in
              // What a document says, it says of the moment at which it was written.
              let isNews = moment > 0 && ours[moment](os) != ours[0](os)
              return Decision(isNews ? nil : told(os) ?? lost, of: app)
            }
          },
          Schedule(app, at: moments, bounds: bounds, systems: systems) { version in
            let ours = new.map { $0.conclude(version) }
            return { moment, os in Decision(ours[moment](os) ?? Prompt(.none), of: app) }
          }, rest
        )
      }
  }
}

extension AppAnswers {
  /// A moment, and the next hundred at which answers or formats say something else.
  fileprivate func moments(from now: Timestamp) -> [Timestamp] {
    var moments = schedule.asTold.moments + snapshot.momentsOfFormats(after: now)
    moments.sortUniquely()
    return [now] + moments.filter { now < $0 }.prefix(Snapshot.mostMoments)
  }

  /// The same as of another moment.
  fileprivate func at(_ moment: Timestamp) -> AppAnswers {
    AppAnswers(
      snapshot, schedule, at: moment, generation: generation, hash: hash, ledger: ledger,
      includesUnreleased: includesUnreleased, usage: usage, spellings: spelledOtherwise)
  }
}
