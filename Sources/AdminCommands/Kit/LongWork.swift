import CommandLineKit
import JSON
import Ledger
import Platform

/// Ends a piece of work because someone asked it to stop.
struct Stopped: Error, Equatable {
  let signal: Int32

  init(signal: Int32) { self.signal = signal }

  /// Recognizes the error of a system call that a caught signal interrupted; nil for any other error.
  init?(_ error: any Error, _ context: PawlContext) {
    var cause = error
    if case LedgerError.noLock(_, let error) = error { cause = error }
    if case LedgerError.system(let error) = error { cause = error }
    guard (cause as? SystemError)?.isInterrupted == true, let signal = context.stopSignal() else {
      return nil
    }
    self.signal = signal
  }

  func report(_ state: String, hint: String? = nil) -> CommandFailure {
    CommandFailure(
      "interrupted", ["state": state], details: ["signal": .integer(Int64(signal))], hint: hint,
      exit: ExitCode(rawValue: 128 &+ signal))
  }
}

/// A command's long piece of work, which ends early if someone asks it to.
final class LongWork {
  private let context: PawlContext
  private var isListening = false

  init(_ context: PawlContext) { self.context = context }

  /// A step of the work; from the first one on, it obeys requests to stop.
  func step() throws(Stopped) {
    if !isListening {
      isListening = true
      context.listen(.whileWorking)
    }
    if let signal = context.stopSignal() { throw Stopped(signal: signal) }
  }

  /// Stops listening for requests; the work may go on.
  func pause() {
    guard isListening else { return }
    isListening = false
    context.listen(nil)
  }
}

extension PawlContext {
  /// Does long work.
  ///
  /// - Parameter state: What was done and what was not, if someone asks it to stop.
  func working<Made>(
    ifStopped state: @autoclosure () -> String, hint: String? = nil,
    _ body: (LongWork) throws -> Made
  ) throws -> Made {
    let work = LongWork(self)
    defer { work.pause() }
    do {
      return try body(work)
    } catch let stopped as Stopped {
      throw stopped.report(state(), hint: hint)
    }
  }
}
