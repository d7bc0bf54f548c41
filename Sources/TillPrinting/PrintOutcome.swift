/// The outcome of printing a receipt. No outcome affects the payment.
public enum PrintOutcome: Hashable, Sendable {
    /// The printer reports that the receipt is on paper.
    case printed
    /// All bytes were accepted by a printer that does not report its progress.
    case handedOver(PrinterState)
    /// Certainly not on paper, or not completely: the printer failed, with its reasons.
    case failed(String)
    /// Possibly on paper, now or later: the answer is missing.
    case mayHavePrinted(String)

    /// One sentence for a shop's staff: the fate of the receipt.
    public var sentence: String {
        switch self {
        case .printed: "The receipt is printed."
        case .handedOver(let state):
            state.needsHelp || state.activity == .unknown
                ? "The receipt was handed to the printer. \(state.sentence)" : "The receipt was handed to the printer."
        case .failed(let why): "The receipt was not printed: \(why)"
        case .mayHavePrinted(let why):
            "The receipt may have printed: \(why) Check the paper before you print it again."
        }
    }
}

/// The steps of printing, reported as they happen.
public enum PrintProgress: Hashable, Sendable {
    /// The printer has assigned a job number and received nothing of the receipt yet.
    case accepted(job: Int)
    /// The first byte of the receipt is sent next: a record made durable before the listener returns survives a crash.
    /// From then on the receipt may be on paper.
    case sending
    /// The printer is busy; the request is retried.
    case waiting(String)
    /// The printer's state, whenever it changes.
    case state(PrinterState)
}

/// Receives each step. An error thrown for ``PrintProgress/accepted(job:)`` or ``PrintProgress/sending`` keeps the
/// receipt from being sent; for the other steps it is ignored.
public typealias PrintListener = @Sendable (PrintProgress) async throws -> Void

/// Notifies a listener of a step, ignoring its errors: the receipt is being sent, or has not been started.
func report(_ step: PrintProgress, to listener: PrintListener) async {
    do { try await listener(step) } catch {
        // The listener reports its own errors; at this step nothing can be stopped.
    }
}

/// Notifies a listener of a step before the first byte of a receipt.
/// - Throws: ``IPPError/notWrittenDown``
func tell(_ listener: PrintListener, _ step: PrintProgress) async throws(IPPError) {
    do { try await listener(step) } catch { throw .notWrittenDown }
}
