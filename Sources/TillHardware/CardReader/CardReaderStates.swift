/// Where a service stands. One value, published whenever it changes; the service accepts a command only in the states
/// that the command's documentation names.
public enum CardReaderServiceState: Hashable, Sendable {
    /// Nothing is connected and nothing is running.
    case idle
    case discovering
    /// Connecting to a reader.
    case connecting(CardReader)
    /// Connected, and ready for a command.
    case connected(CardReader)
    /// Waiting for a card. This can be canceled.
    case collecting(CardReader)
    /// The provider is being asked for money. This cannot be canceled.
    case confirming(CardReader)
    /// Refunding to a card.
    case refunding(CardReader)
    /// Installing software on the reader.
    case updating(CardReader)
    /// The reader disconnected by itself and is being reconnected.
    case reconnecting(CardReader)

    /// The state's name, as in logs and on pages.
    public var name: String {
        switch self {
        case .idle: "idle"
        case .discovering: "discovering"
        case .connecting: "connecting"
        case .connected: "connected"
        case .collecting: "collecting"
        case .confirming: "confirming"
        case .refunding: "refunding"
        case .updating: "updating"
        case .reconnecting: "reconnecting"
        }
    }

    /// The reader that the state is about.
    public var reader: CardReader? {
        switch self {
        case .idle, .discovering: nil
        case .connecting(let reader), .connected(let reader), .collecting(let reader), .confirming(let reader),
            .refunding(let reader), .updating(let reader), .reconnecting(let reader):
            reader
        }
    }
}

/// Whether a service can work at all.
public enum CardReaderServiceStatus: Hashable, Sendable {
    case ready
    /// The driver did not come back from a command; disconnect and connect again.
    case fault(CardReaderServiceError)
}

/// The outcome of a discovery of readers.
public enum CardReaderServiceDiscoveryStatus: Hashable, Sendable {
    /// No discovery is running.
    case idle
    case discovering
    case fault(CardReaderServiceError)
}

/// How far the reader is with a payment. (What the shop calls the status of a payment is TillCore's `PaymentStatus`.)
public enum CardReaderPaymentStatus: String, Hashable, Sendable, CaseIterable {
    /// No reader is connected.
    case notReady = "not_ready"
    /// A payment can begin.
    case ready
    /// Waiting for a card.
    case waitingForInput = "waiting_for_input"
    /// The provider is being asked.
    case processing
}

/// What happens with a reader's software.
public enum CardReaderSoftwareUpdateState: Hashable, Sendable {
    /// Nothing is to be installed.
    case none
    /// An update can be installed, and must be at its time if it has one.
    case available(CardReaderSoftwareUpdate)
    /// The installation began. `isCancelable`: ``CardReaderService/cancelUpdate()`` can end it.
    case started(isCancelable: Bool)
    /// Percent done, 0 to 100.
    case installing(percent: Int)
    /// It failed; the update may still be there.
    case failed(CardReaderServiceError)
    case completed
}

/// A reader after it went away by itself.
public enum CardReaderReconnectionState: Hashable, Sendable {
    /// Nothing is being reached again.
    case idle
    /// The reader is being reached again, and why it went away.
    case reconnecting(CardReader, CardReaderDisconnectReason)
    case succeeded(CardReader)
    /// It did not come back, or the shop gave up.
    case failed(CardReader)
}
