public import TillCore

/// The stored payments of this device, to be sent to the provider.
public struct PaymentCardReaderStore: Sendable {
    private let driver: any PaymentCardReaderStoreDriver

    /// Creates a store over a storage driver.
    public init(driver: any PaymentCardReaderStoreDriver) { self.driver = driver }

    /// Returns the oldest stored payments as a batch. Apple allows one batch at a time.
    /// - Parameter size: the number of payments; 0: all.
    public func fetchStoredPaymentCardReadResultBatch(
        size: Int = 0
    ) async throws(StoreError) -> StoreAndForwardBatch {
        guard size >= 0 else { throw .storeAndForwardBatchSizeInvalid }
        return try await driver.fetchBatch(size: size)
    }

    /// Returns the number of stored payments.
    public func fetchStoredPaymentCardReadResultCount() async throws(StoreError) -> Int {
        try await driver.storedCount()
    }

    /// Deletes a batch and its payments with the provider's deletion token. Returns the number of remaining payments.
    public func resolveBatch(
        batchDeletionToken: StoreAndForwardBatchDeletionToken
    ) async throws(StoreError) -> Int {
        try await driver.resolveBatch(batchDeletionToken)
    }

    /// Discards the batch but keeps its payments: they are in the next one.
    public func resetBatchState() async throws(StoreError) { try await driver.resetBatch() }

    /// An error of the store. Nothing is deleted then. Open.
    public enum StoreError: Error, Hashable, Sendable {
        case networkError
        case notAllowed
        case passcodeDisabled
        case storeAndForwardBatchNotFound
        case storeAndForwardResultsNotFound
        case storeAndForwardBatchSizeInvalid
        case storeAndForwardBatchAlreadyExists
        case storeAndForwardDeletionTokenExpired
        case storeAndForwardDeletionTokenInvalid
        case busy
        case unknown(code: Int)
        /// An unknown case, by its name.
        case unrecognized(name: String)

        /// Every named case. All were introduced in iOS 18.4.
        public static let named: [StoreError] = [
            .networkError, .notAllowed, .passcodeDisabled, .storeAndForwardBatchNotFound,
            .storeAndForwardResultsNotFound, .storeAndForwardBatchSizeInvalid, .storeAndForwardBatchAlreadyExists,
            .storeAndForwardDeletionTokenExpired, .storeAndForwardDeletionTokenInvalid, .busy,
        ]

        /// Returns the case of a name; ``unrecognized(name:)`` for an unknown one.
        public init(errorName: String) {
            self = StoreError.named.first { $0.errorName == errorName } ?? .unrecognized(name: errorName)
        }

        /// The name, as spelled by Apple.
        public var errorName: String {
            switch self {
            case .networkError: "networkError"
            case .notAllowed: "notAllowed"
            case .passcodeDisabled: "passcodeDisabled"
            case .storeAndForwardBatchNotFound: "storeAndForwardBatchNotFound"
            case .storeAndForwardResultsNotFound: "storeAndForwardResultsNotFound"
            case .storeAndForwardBatchSizeInvalid: "storeAndForwardBatchSizeInvalid"
            case .storeAndForwardBatchAlreadyExists: "storeAndForwardBatchAlreadyExists"
            case .storeAndForwardDeletionTokenExpired: "storeAndForwardDeletionTokenExpired"
            case .storeAndForwardDeletionTokenInvalid: "storeAndForwardDeletionTokenInvalid"
            case .busy: "busy"
            case .unknown: "unknown"
            case .unrecognized(let name): name
            }
        }

        /// The release that introduced it; nil for an unknown one.
        public var release: SystemRelease? {
            if case .unrecognized = self { nil } else { .iOS18_4 }
        }
    }
}

extension PaymentCardReaderStore.StoreError: ExplainedError {
    /// A machine-readable code, stable across releases.
    public var code: String { errorName }
    /// A one-sentence description.
    public var what: String {
        switch self {
        case .networkError: "The network did not answer."
        case .notAllowed: "Stored payments may not be used here."
        case .passcodeDisabled: "This device has no passcode."
        case .storeAndForwardBatchNotFound: "There is no such batch."
        case .storeAndForwardResultsNotFound: "Nothing is stored."
        case .storeAndForwardBatchSizeInvalid: "A batch cannot have this size."
        case .storeAndForwardBatchAlreadyExists: "A batch is on its way already."
        case .storeAndForwardDeletionTokenExpired: "The provider's deletion token is too old."
        case .storeAndForwardDeletionTokenInvalid: "The provider's deletion token is not for this batch or is forged."
        case .busy: "The store is busy."
        case .unknown(let code): "The store reports \(code), which has no name."
        case .unrecognized(let name): "The store reports \(name), which is not known here."
        }
    }
    /// Never: the store moves no money; the outcome of sent payments is reported by the provider.
    public var moneyMoved: MoneyMoved { .no }
    /// The next step, in one sentence.
    public var next: String {
        switch self {
        case .networkError: "Check the connection; the payments stay stored."
        case .notAllowed: "Ask the payment provider to allow it; the payments stay stored."
        case .passcodeDisabled: "Turn the passcode on again before anything else."
        case .storeAndForwardBatchNotFound, .storeAndForwardBatchAlreadyExists:
            "Give up the batch, then fetch a new one; the payments stay stored."
        case .storeAndForwardResultsNotFound: "There is nothing to do."
        case .storeAndForwardBatchSizeInvalid: "Ask for zero or more payments."
        case .storeAndForwardDeletionTokenExpired, .storeAndForwardDeletionTokenInvalid:
            "Send the batch again to get a new token; the payments stay stored."
        case .busy: "Try again in a moment."
        case .unknown, .unrecognized: "Try again; if that does not help, report this word to the payment provider."
        }
    }
}
