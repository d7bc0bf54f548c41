public import TillCore

extension PaymentCardReaderSession {
    /// Why a read gave no result. A read moves no money, so none moved; what the card gave, if anything, is in
    /// ``PaymentCardReadResult`` with its outcome when ``PaymentCardReader/Options/includeErrorInReadResult`` is set.
    ///
    /// The cases and their releases are those of Apple's interface; a case of a later release keeps its name.
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
        /// A case that is not known here, by its name.
        case unrecognized(name: String)

        /// Every named case, payloads empty.
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

        /// The case of a name, payloads empty; ``unrecognized(name:)`` for one that is not known.
        public init(errorName: String) {
            self = ReadError.named.first { $0.errorName == errorName } ?? .unrecognized(name: errorName)
        }

        /// Its name, as Apple spells it.
        public var errorName: String { facts.name }
        /// What happened, one sentence.
        public var errorDescription: String { facts.what }
    }
}

extension PaymentCardReaderSession.ReadError: ExplainedError {
    /// A stable word for programs.
    public var code: String { errorName }
    /// What happened, one sentence.
    public var what: String { facts.what }
    /// Never: the provider was not asked.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next, one sentence.
    public var next: String { facts.next }
}
