import CommandLineKit
import JSON
import Ledger
import Platform

/// Leaves a piece of work because somebody asked for it.
struct Stopped: Error, Equatable {
  /// The number of the signal.
  let signal: Int32

  init(signal: Int32) { self.signal = signal }

  /// Whether an error is what a call of the system says that a signal ended while somebody listened.
  init?(_ error: any Error, _ context: PawlContext) {
    var cause = error
    if case LedgerError.noLock(_, let error) = error { cause = error }
    if case LedgerError.system(let error) = error { cause = error }
    guard (cause as? SystemError)?.isInterrupted == true, let signal = context.stopSignal() else {
      return nil
    }
    self.signal = signal
  }

  /// What was done and what was not, and what to do next.
  func report(_ state: String, hint: String? = nil) -> CommandFailure {
    let exit = ExitCode(rawValue: 128 &+ signal)
    return CommandFailure(
      "interrupted", "interrupted; \(state)", hint: hint, details: ["signal": .integer(Int64(signal))],
      exit: exit)
  }
}

/// A command's long piece of work: says on a terminal how far it is, and ends early where somebody asks for it.
///
/// Progress goes to standard error if that is a terminal, whatever becomes of the result; elsewhere not one byte of it
/// is written.
final class LongWork {
  private let context: PawlContext
  private var line: ProgressLine?
  private var isListening = false

  init(_ context: PawlContext) {
    self.context = context
    if context.isErrorTerminal, context.environment("TERM") != "dumb" {
      line = ProgressLine(startedAt: context.seconds())
    }
  }

  /// Says how far the work is; from the first call on a request to stop is heard.
  ///
  /// - Throws: `Stopped`.
  func step(_ what: String, _ done: Int, of total: Int) throws(Stopped) {
    if !isListening {
      isListening = true
      context.listen(.whileWorking)
    }
    if let signal = context.stopSignal() { throw Stopped(signal: signal) }
    let text = line?.update(what, done, of: total, at: context.seconds(), width: context.width)
    if let text { context.note(text) }
  }

  /// Takes the line away and hears no more requests; the work may go on.
  func pause() {
    if let text = line?.erase(), !text.isEmpty { context.note(text) }
    guard isListening else { return }
    isListening = false
    context.listen(nil)
  }
}
