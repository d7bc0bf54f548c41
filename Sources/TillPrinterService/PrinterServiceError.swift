public import TillCore

/// An error of printing through the system's print dialog.
public enum PrinterServiceError: ExplainedError, Hashable {
    /// The user closed the dialog.
    case canceled
    /// This device cannot print, or not now.
    case notAvailable
    /// Another receipt's dialog is open.
    case busy
    /// The system failed, in its own words. The receipt may have printed.
    case failed(String)

    public var code: String {
        switch self {
        case .canceled: "print_canceled"
        case .notAvailable: "printing_not_available"
        case .busy: "printing_busy"
        case .failed: "print_failed"
        }
    }
    public var what: String {
        switch self {
        case .canceled: "Printing was canceled; nothing was sent."
        case .notAvailable: "This device cannot print now; nothing was sent."
        case .busy: "Another receipt is about to be printed; this one was not sent."
        case .failed(let why): "The system could not print the receipt, or not all of it: \(why)."
        }
    }
    /// A printer moves no money.
    public var moneyMoved: MoneyMoved { .no }
    /// The next step.
    public var next: String {
        switch self {
        case .canceled: "The payment stands as it is; the receipt can be printed again."
        case .notAvailable: "Print it on a printer of the network, or send it."
        case .busy: "Close the other dialog first."
        case .failed: "Check the paper, then print it again. The payment stands as it is."
        }
    }
}
