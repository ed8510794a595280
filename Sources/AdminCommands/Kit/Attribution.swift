import CommandLineKit
import JSON
import Platform

/// Who changes the ledger, as the event records it: what the system reports, apart from what is only claimed.
struct Attribution {
  let context: PawlContext
  let claimed: String?

  var json: JSON {
    [
      "user": .string(context.user.name), "uid": .integer(Int64(context.user.uid)),
      "loginUid": .optional(context.loginUID().map { Int64($0) }), "host": .string(context.host),
      "claimed": .optional(claimed ?? text("PAWL_ACTOR", limit: 1_000)),
      "principal": .optional(text("PAWL_PRINCIPAL")),
    ]
  }

  /// An environment variable reduced to one line of visible text; nil if it is unset or blank.
  private func text(_ name: String, limit: Int = 500) -> String? {
    guard let value = context.environment(name) else { return nil }
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar.properties.generalCategory {
      // Format characters can change the direction of text, or be invisible.
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: continue
      default: text.unicodeScalars.append(scalar)
      }
      if text.utf8.count >= limit { break }
    }
    return text.contains { $0 != " " } ? text : nil
  }
}

extension Call {
  /// The command as its last event says it: its arguments, and which options it had; their values may be texts, or
  /// names of this host's files.
  var recorded: String {
    let words = words.filter { !["--reason", "--actor"].contains($0.name) }.map { word in
      word.name.hasPrefix("-") ? word.name : ShellWords.quoted(word.value ?? "")
    }
    return printable((path + words).joined(separator: " "), limit: 200)
  }
}
