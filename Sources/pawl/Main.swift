import AdminCommands
import Platform

/// The program: passes its words to the commands and exits with their status.
@main
enum Pawl {
  static func main() {
    takeClosedDescriptors()
    ignoreFileSizeSignal()
    keepFreedMemory()
    exitProcess(AdminCommands.start(CommandLine.arguments, PawlContext()))
  }
}
