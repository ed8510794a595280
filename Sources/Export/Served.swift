import Crypto
import JSON
package import ReleaseModel

/// A document as a server hands it out, held against what is decided.
package struct ServedFile: Sendable {
  /// How it compares, the worst last.
  package enum Outcome: String, Sendable, Ranked {
    case same, behind, missing, unreadable, stricter
  }

  package let path: String
  package var outcome = Outcome.same
  /// The number of the event that it is of; nil where its format does not say it.
  package var generation: Int64?
  /// The versions that conclude something else from it than from the document as it is made now, with both actions.
  package var differing: [(version: Version, told: Action, wanted: Action)] = []

  /// Keeps the worst that was found.
  fileprivate mutating func found(_ found: Outcome) { outcome = max(outcome, found) }
}

extension AppAnswers {
  /// The versions worth asking about: the newest and the next one, those that most devices run, those where answers begin
  /// and end now or would if the app were resumed, and others that have files, since old files may still prompt.
  package var probed: [Version] {
    var resumed = snapshot
    resumed.line.app.isStopped = false
    let bounds = [schedule, Schedule(resumed, at: moment)].flatMap { schedule in
      schedule.current(at: moment).map(\.first.shortened)
    }
    let devices = (usage?.counts ?? []).sorted { $0.devices > $1.devices }.prefix(20).map(\.version)
    let newest = [newestEverLive, newestEverLive?.nextPatch].compactMap(\.self)
    var seen: Set<Version> = []
    return (newest + devices + bounds + names.reversed()).filter { seen.insert($0).inserted }.prefix(100)
      .sorted()
  }

  /// What clients of some versions read of a format, asked for as they ask: what is shared first, then each version's own
  /// file, and `default.json` for a version that has none; `fetch` returns nil where there is no document.
  package func served(
    _ format: any DocumentFormat, to versions: [Version], on os: Version?,
    _ fetch: (String) throws -> [UInt8]?
  ) throws -> [ServedFile] {
    let made = made(as: format).documents.byPath
    let (folder, ending) = ("\(format.name)/\(app.slug)/", format.isSigned ? ".jws" : ".json")
    let fallback = "\(folder)default\(ending)"
    func path(_ version: Version) -> String {
      "\(folder)\((published.first { $0.version == version }?.version ?? version).text)\(ending)"
    }
    let shared = made.keys.filter {
      $0 != fallback && DocumentPath.parts(of: $0).flatMap { DocumentPath.version(of: $0.suffix) } == nil
    }
    .sorted()
    let own = format.isByVersion ? versions.map(path) : []
    var (bytes, files): ([String: [UInt8]], [ServedFile]) = ([:], [])
    for path in shared + own {
      var file = ServedFile(path: path)
      var body = try fetch(path)
      // A version without a document of its own.
      if body == nil, made[path] == nil { body = try fetch(fallback) }
      if let body {
        let content = format.isSigned ? JWS(body)?.payload ?? [] : body
        bytes[path] = content
        let json = try? JSON(parsing: content)
        file.generation = json?["generation"]?.integer
        if let served = file.generation, served < generation { file.found(.behind) }
        // Texts and settings tell the age of what says no number.
        if file.generation == nil, !format.isSigned, let wanted = made[path] ?? made[fallback],
          !body.says(wanted)
        {
          file.found(.behind)
        }
        if let end = json?["validUntil"]?.string.flatMap({ try? Timestamp($0) }), end <= moment {
          file.found(.behind)
        }
      } else if !made.isEmpty {
        file.found(.missing)
      }
      files.append(file)
    }
    let now = format.clients(of: made, app: app.slug, at: moment)
    for (client, wanted) in zip(format.clients(of: bytes, app: app.slug, at: moment), now) {
      for version in versions {
        let read = client.path ?? path(version)
        guard let index = files.firstIndex(where: { $0.path == read }), files[index].outcome != .missing
        else {
          continue
        }
        guard let told = client.conclude(version)(os) else {
          files[index].found(.unreadable)
          continue
        }
        let asMade = wanted.conclude(version)(os) ?? Prompt(.none)
        guard told != asMade else { continue }
        let decided = answer(to: version).decision(on: os).understood
        files[index].differing.append((version, told.action, decided.action))
        files[index].found(told.action > decided.action || !told.leads(to: decided) ? .stricter : .behind)
      }
    }
    return files
  }
}
