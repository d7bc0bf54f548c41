public import TillCore

extension PaymentCardReaderSession {
    /// The reason that a read gave no result. A read moves no money; any data of the card are in
    /// ``PaymentCardReadResult`` with its outcome if ``PaymentCardReader/Options/includeErrorInReadResult`` is set.
    ///
    /// The cases and their releases are those of Apple's API; a case of a later release keeps its name.
    public enum ReadError: Error, Hashable, Sendable {
        case readNotAllowed
        case readFromBackgroundError
        case readerServiceConnectionError
        case readerServiceError
        case noReaderSession
        case readerSessionExpired
        case readerTokenExpired
        case readerSessionNetworkError
        case readerSessionAuthenticationError
        case readerSessionBusy
        case readCancelled
        case invalidAmount
        case invalidCurrencyCode
        case invalidPreferredAID
        case nfcDisabled
        case readNotAllowedDuringCall
        case passcodeDisabled
        case cardReadFailed
        case vasReadFail
        case paymentReadFailed
        case paymentCardDeclined
        case invalidVASMerchants(String?)
        case invalidVASRequestParameters(String?)
        case pinEntryFailed
        case pinTokenInvalid
        case pinEntryTimeout
        case pinCancelled
        case pinNotAllowed
        case storeAndForwardDeclineFailed
        case storeAndForwardResultNotFound
        case readerInitializationFailed
        case readerNotAvailable
        case cardNotSupported
        case unknown(code: Int)
        /// An unknown case, by its name.
        case unrecognized(name: String)

        /// Every named case, with empty payloads.
        public static let named: [ReadError] = [
            .readNotAllowed, .readFromBackgroundError, .readerServiceConnectionError, .readerServiceError,
            .noReaderSession, .readerSessionExpired, .readerTokenExpired, .readerSessionNetworkError,
            .readerSessionAuthenticationError, .readerSessionBusy, .readCancelled, .invalidAmount,
            .invalidCurrencyCode, .invalidPreferredAID, .nfcDisabled, .readNotAllowedDuringCall, .passcodeDisabled,
            .cardReadFailed, .vasReadFail, .paymentReadFailed, .paymentCardDeclined, .invalidVASMerchants(nil),
            .invalidVASRequestParameters(nil), .pinEntryFailed, .pinTokenInvalid, .pinEntryTimeout, .pinCancelled,
            .pinNotAllowed, .storeAndForwardDeclineFailed, .storeAndForwardResultNotFound,
            .readerInitializationFailed, .readerNotAvailable, .cardNotSupported,
        ]

        /// Returns the case of a name, with an empty payload; ``unrecognized(name:)`` for an unknown one.
        public init(errorName: String) {
            self = ReadError.named.first { $0.errorName == errorName } ?? .unrecognized(name: errorName)
        }

        /// The name, as spelled by Apple.
        public var errorName: String { facts.name }
        /// A one-sentence description.
        public var errorDescription: String { facts.what }
    }
}

extension PaymentCardReaderSession.ReadError: ExplainedError {
    /// A machine-readable code, stable across releases.
    public var code: String { errorName }
    /// A one-sentence description.
    public var what: String { facts.what }
    /// Never: the provider was not asked.
    public var moneyMoved: MoneyMoved { .no }
    /// The next step, in one sentence.
    public var next: String { facts.next }
}
