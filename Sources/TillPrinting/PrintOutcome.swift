/// What became of a receipt on its way to paper. None of them touches the payment.
public enum PrintOutcome: Hashable, Sendable {
    /// The printer says that it is on paper.
    case printed
    /// All bytes were taken by a printer that does not say what it did with them.
    case handedOver(PrinterState)
    /// Certainly not on paper, or not all of it: the printer gave up, with its reasons.
    case failed(String)
    /// It may be on paper, now or later: the answer is missing.
    case mayHavePrinted(String)

    /// One sentence for a shop's staff: whether it is on paper.
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
    /// The printer has a number for it, and nothing of the receipt yet.
    case accepted(job: Int)
    /// The first byte of the receipt goes next: what is written when the listener returns outlives a crash. From
    /// then on the receipt may be on paper.
    case sending
    /// The printer works on something else; it is asked again.
    case waiting(String)
    /// The printer's state, whenever it changes.
    case state(PrinterState)
}

/// Notified of each step. What it throws for ``PrintProgress/accepted(job:)`` and ``PrintProgress/sending`` keeps the
/// receipt from being sent; for the others it changes nothing.
public typealias PrintListener = @Sendable (PrintProgress) async throws -> Void

/// Notifies a listener of a step at which what it throws changes nothing: the receipt is on its way, or not begun.
func report(_ step: PrintProgress, to listener: PrintListener) async {
    do { try await listener(step) } catch {
        // Whoever listens says so himself: here is nobody who could print less for it.
    }
}

/// Notifies a listener of a step before the first byte of a receipt.
/// - Throws: ``IPPError/notWrittenDown``
func tell(_ listener: PrintListener, _ step: PrintProgress) async throws(IPPError) {
    do { try await listener(step) } catch { throw .notWrittenDown }
}
