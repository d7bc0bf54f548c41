public import TillCore
public import TillOffline

/// Gives any driver store and forward: what its sessions read is stored in a log.
public struct StoringReaderDriver: PaymentCardReaderDriver {
    private let base: any PaymentCardReaderDriver
    private let log: OfflineLog
    private let policy: OfflinePolicy
    private let account: AccountID
    private let clock: any TillClock
    private let token: PaymentCardReader.Token

    /// Puts the storing in front of a driver whose reads it keeps.
    /// - Parameter token: what the base driver prepares its reading with; the reads themselves go nowhere.
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

    /// As the base says.
    public var unsupported: PaymentCardReaderError? { base.unsupported }
    /// As the base says.
    public func readerIdentifier() async throws(PaymentCardReaderError) -> String {
        try await base.readerIdentifier()
    }
    /// As the base says.
    public func isAccountLinked(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) -> Bool {
        try await base.isAccountLinked(using: token)
    }
    /// As the base does.
    public func linkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        try await base.linkAccount(using: token)
    }
    /// As the base does.
    public func relinkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        try await base.relinkAccount(using: token)
    }
    /// As the base does.
    public func prepare(
        using token: PaymentCardReader.Token, options: PaymentCardReader.Options,
        events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any PaymentCardReaderSessionDriver {
        try await base.prepare(using: token, options: options, events: events)
    }

    /// Only within the freshness of the last contact with the provider.
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
