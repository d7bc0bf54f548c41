import TillCore

/// The internal state of a service. Everything that ends with a state is in its payload.
enum ServicePhase {
    case idle
    case discovering(Discovery)
    case connecting(Connecting)
    case connected(Link)
    case operating(Link, Operation)
    case reconnecting(Link, CardReaderDisconnectReason)
    /// A reader is being released, or the service is being cleared.
    case leaving(Link?)

    struct Discovery {
        let attempt: CardReaderAttemptID
        let call: DriverCall<Void>
        let threshold: Threshold
        let ended: Gate
        var isCanceled = false
    }

    struct Connecting {
        let attempt: CardReaderAttemptID
        let reader: CardReader
        let ended: Gate
        /// `nil` until the discovery before it has ended.
        var call: DriverCall<CardReader>?
        var isInvalid = false
    }

    /// A connection to a reader on behalf of an account.
    struct Link {
        var reader: CardReader
        let account: AccountID
        let options: CardReaderConnectionOptions
        /// The attempt of the connection, or of the last reconnection.
        var attempt: CardReaderAttemptID
        /// Set if the reader disconnected during a command that is still running.
        var loss: Loss?
        var update: CardReaderSoftwareUpdate?
        var isBatteryLow = false

        enum Loss {
            case gone(CardReaderDisconnectReason)
            case reconnecting(CardReaderDisconnectReason)
        }
    }

    /// A command that runs on a connected reader.
    struct Operation {
        enum Kind { case payment, sealedCard, refund, update }
        enum Step {
            /// Before the card is requested, or after a cancellation.
            case preparing
            /// Waiting for a card.
            case collecting
            /// The shop records the payment.
            case writing
            /// The provider is being asked.
            case confirming
        }
        let kind: Kind
        let attempt: CardReaderAttemptID
        let ended: Gate
        var step = Step.preparing
        var canceledBy: CardReaderCanceler?
        /// Ends the running driver call for the service.
        var interrupt: (@Sendable (CardReaderFailure?) -> Void)?
    }

    /// The public state.
    var state: CardReaderServiceState {
        switch self {
        case .idle, .leaving(nil): .idle
        case .discovering: .discovering
        case .connecting(let connecting): .connecting(connecting.reader)
        case .connected(let link), .leaving(.some(let link)): .connected(link.reader)
        case .operating(let link, let operation):
            switch operation.kind {
            case .refund: .refunding(link.reader)
            case .update: .updating(link.reader)
            case .payment, .sealedCard:
                operation.step == .confirming ? .confirming(link.reader) : .collecting(link.reader)
            }
        case .reconnecting(let link, _): .reconnecting(link.reader)
        }
    }

    var link: Link? {
        switch self {
        case .connected(let link), .operating(let link, _), .reconnecting(let link, _): link
        case .leaving(let link): link
        case .idle, .discovering, .connecting: nil
        }
    }

    var operation: Operation? {
        if case .operating(_, let operation) = self { return operation }
        return nil
    }

    var connectedReaders: [CardReader] {
        switch self {
        case .connected(let link), .leaving(.some(let link)): [link.reader]
        case .operating(let link, _): link.loss == nil ? [link.reader] : []
        case .idle, .discovering, .connecting, .reconnecting, .leaving(nil): []
        }
    }

    var paymentStatus: CardReaderPaymentStatus {
        switch state {
        case .idle, .discovering, .connecting, .updating, .reconnecting: .notReady
        case .connected: .ready
        case .collecting: .waitingForInput
        case .confirming, .refunding: .processing
        }
    }
}
