import AdminCommands
import Platform

/// The program: hands its words to the commands and ends with their status.
@main
enum Pawl {
  static func main() {
    takeClosedDescriptors()
    ignoreFileSizeSignal()
    keepFreedMemory()
    exitProcess(AdminCommands.start(CommandLine.arguments, .process()))
  }
}
