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

    /// For people.
    public var sentence: String {
        switch self {
        case .printed: "The receipt is printed."
        case .handedOver(let state):
            state.needsHelp || state.activity == .unknown
                ? "The receipt was handed to the printer. \(state.sentence)" : "The receipt was handed to the printer."
        case .failed(let why): "The receipt was not printed: \(why)"
        case .mayHavePrinted(let why):
            "The receipt may have printed: \(why) Look at the paper before you print it again."
        }
    }
}

/// What is told while a receipt is on its way.
public enum PrintProgress: Hashable, Sendable {
    /// The printer has a number for it; write it down before more happens.
    case accepted(job: Int)
    /// The printer works on something else; it is asked again.
    case waiting(String)
    /// How the printer stands, whenever that changes.
    case state(PrinterState)
}
