/// The state of a service. One value, published whenever it changes; the service accepts a command only in the states
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
    /// The payment is being confirmed with the provider. This cannot be canceled.
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

    /// The reader that the state refers to, if any.
    public var reader: CardReader? {
        switch self {
        case .idle, .discovering: nil
        case .connecting(let reader), .connected(let reader), .collecting(let reader), .confirming(let reader),
            .refunding(let reader), .updating(let reader), .reconnecting(let reader):
            reader
        }
    }
}

/// The health of a service.
public enum CardReaderServiceStatus: Hashable, Sendable {
    case ready
    /// The driver did not return from a command; disconnect and connect again.
    case fault(CardReaderServiceError)
}

/// The outcome of a discovery of readers.
public enum CardReaderServiceDiscoveryStatus: Hashable, Sendable {
    /// No discovery is running.
    case idle
    case discovering
    case fault(CardReaderServiceError)
}

/// The reader's progress with a payment. (The status of the payment itself is TillCore's `PaymentStatus`.)
public enum CardReaderPaymentStatus: String, Hashable, Sendable, CaseIterable {
    /// No reader is connected.
    case notReady = "not_ready"
    /// A payment can begin.
    case ready
    /// Waiting for a card.
    case waitingForInput = "waiting_for_input"
    /// The payment is being confirmed with the provider.
    case processing
}

/// The state of a reader's software update.
public enum CardReaderSoftwareUpdateState: Hashable, Sendable {
    /// Nothing is to be installed.
    case none
    /// An update can be installed, and must be by its date if it has one.
    case available(CardReaderSoftwareUpdate)
    /// The installation began. `isCancelable`: ``CardReaderService/cancelUpdate()`` can end it.
    case started(isCancelable: Bool)
    /// Percent done, 0 to 100.
    case installing(percent: Int)
    /// The update failed; it may still be available.
    case failed(CardReaderServiceError)
    case completed
}

/// The state of a reconnection after an unexpected disconnect.
public enum CardReaderReconnectionState: Hashable, Sendable {
    /// No reconnection is running.
    case idle
    /// The reader is being reconnected, with the reason of the disconnect.
    case reconnecting(CardReader, CardReaderDisconnectReason)
    case succeeded(CardReader)
    /// The reconnection failed or was canceled.
    case failed(CardReader)
}
