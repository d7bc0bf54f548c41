public import TillCore
public import TillOffline

/// Adds store and forward to any driver: reads of its sessions are stored in a log.
public struct StoringReaderDriver: PaymentCardReaderDriver {
    private let base: any PaymentCardReaderDriver
    private let log: OfflineLog
    private let policy: OfflinePolicy
    private let account: AccountID
    private let clock: any TillClock
    private let token: PaymentCardReader.Token

    /// Creates a storing driver over a base driver.
    /// - Parameter token: the token with which the base driver is prepared; the reads themselves are not sent anywhere.
    public init(
        _ base: any PaymentCardReaderDriver, log: OfflineLog, policy: OfflinePolicy, account: AccountID = .main,
        clock: any TillClock, token: PaymentCardReader.Token = PaymentCardReader.Token(rawValue: "offline")
    ) {
        self.base = base
        self.log = log
        self.policy = policy
        self.account = account
        self.clock = clock
        self.token = token
    }

    /// The base driver's answer.
    public var unsupported: PaymentCardReaderError? { base.unsupported }
    /// Returns the base driver's answer.
    public func readerIdentifier() async throws(PaymentCardReaderError) -> String {
        try await base.readerIdentifier()
    }
    /// Returns the base driver's answer.
    public func isAccountLinked(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) -> Bool {
        try await base.isAccountLinked(using: token)
    }
    /// Forwards to the base driver.
    public func linkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        try await base.linkAccount(using: token)
    }
    /// Forwards to the base driver.
    public func relinkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        try await base.relinkAccount(using: token)
    }
    /// Forwards to the base driver.
    public func prepare(
        using token: PaymentCardReader.Token, options: PaymentCardReader.Options,
        events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any PaymentCardReaderSessionDriver {
        try await base.prepare(using: token, options: options, events: events)
    }

    /// Prepares a storing session, only within the maximum age of the last contact with the provider.
    public func prepareStoreAndForward(
        options: PaymentCardReader.Options, events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any StoreAndForwardSessionDriver {
        guard policy.isAllowed else { throw .storeAndForwardNotAllowed }
        let book: OfflineLedger
        do throws(OfflineLogError) { book = try log.book() } catch { throw .storeAndForwardSessionInvalidated }
        guard let contact = book.lastContact else { throw .storeAndForwardNotAllowed }
        guard clock.now().since(contact) <= policy.contactAge else { throw .storeAndForwardSessionExpired }
        let session = try await base.prepare(using: token, options: options, events: events)
        return StoringSessionDriver(session, log: log, policy: policy, account: account, clock: clock)
    }

    public func store() throws(PaymentCardReaderError) -> any PaymentCardReaderStoreDriver {
        StoredReadsDriver(log: log)
    }
}
