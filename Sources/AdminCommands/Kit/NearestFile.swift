import CommandLineKit
import Platform

/// The path that was probably meant by a missing one: another name in the same folder, safe to show.
func nearestFile(to path: String) -> String? {
  let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
  let folder = slash.map { String(path[...$0]) } ?? ""
  let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
  guard let names = try? fileNames(in: folder.isEmpty ? "." : folder) else { return nil }
  // A name that only adds to the missing one is a copy of it, or a ledger's journal: never use it by mistake.
  let others = name.contains(".") ? names.filter { !$0.hasPrefix(name) } : names
  return closest(to: name, among: others).map { printable(folder + $0, limit: 200) }
}
