public import TillCore

/// A card reader in the hand: links the shop's account, is prepared, and gives sessions that read.
///
/// The names are Apple's; what differs is said where it does. It works on every platform over the driver that is
/// passed in. One reader for one device; keep it as long as cards are taken.
///
/// Safe from any thread. Every call ends: with a result, with an error of its kind, or, when its task is
/// canceled, with one too.
public final class PaymentCardReader: Sendable {
    public let options: Options
    let engine: ReaderEngine

    /// A reader over a driver.
    /// - Parameters:
    ///   - executor: where its work runs; nil: wherever the system likes. For tests.
    ///   - late: gets what a card gave after whoever asked for it was answered without it. It belongs to the provider.
    public init(
        driver: any PaymentCardReaderDriver, options: Options = Options(), clock: any TillClock = SystemClock(),
        deadlines: TapToPayDeadlines = TapToPayDeadlines(), executor: (any TaskExecutor)? = nil,
        late: @escaping @Sendable (PaymentCardReadResult) async -> Void = { _ in }
    ) {
        self.options = options
        engine = ReaderEngine(
            driver: driver, options: options, clock: clock, deadlines: deadlines, executor: executor, late: late)
    }

    /// Whether this device can read cards at all. In Apple's interface it is static, because there is one driver.
    public var isSupported: Bool { engine.driver.unsupported == nil }

    /// What happens, from the last beginning of a preparation or read on. Each use is a stream of its own: one that
    /// ends, or whose task is canceled, does not silence the others.
    public var events: AsyncStream<Event> { engine.events.listen() }

    /// What happens from now on. Each use is a stream of its own.
    public var upcomingEvents: AsyncStream<Event> { engine.events.listen(withPast: false) }

    /// What has happened since the last beginning of a preparation or read; the newest 64.
    public var recentEvents: [Event] { engine.events.past }

    /// Where the reader stands, and then each change. Each use is a stream of its own.
    public var statuses: AsyncStream<ReaderStatus> { engine.statuses.listen() }

    /// Where the reader stands now.
    public var status: ReaderStatus { engine.status }

    /// The name of the reader, stable for this installation.
    public var readerIdentifier: String {
        get async throws(PaymentCardReaderError) { try await engine.driver.readerIdentifier() }
    }

    /// Whether somebody has accepted the terms for the token's merchant.
    public func isAccountLinked(using token: Token) async throws(PaymentCardReaderError) -> Bool {
        if let reason = engine.driver.unsupported { throw reason }
        let isLinked = try await engine.driver.isAccountLinked(using: token)
        await engine.note(.accountKnown(isLinked: isLinked))
        return isLinked
    }

    /// Shows the terms; once for a merchant, on any device. An account that is linked already is linked.
    public func linkAccount(using token: Token) async throws(PaymentCardReaderError) {
        try await engine.link(isRelink: false, using: token)
    }

    /// Shows the terms for another account.
    public func relinkAccount(using token: Token) async throws(PaymentCardReaderError) {
        try await engine.link(isRelink: true, using: token)
    }

    /// A session for reads that go to the provider at once.
    ///
    /// A session that lives is given again without asking the reader; calls at the same time share one preparation,
    /// and one that is canceled does not take it from the others.
    public func prepare(using token: Token) async throws(PaymentCardReaderError) -> PaymentCardReaderSession {
        PaymentCardReaderSession(engine: engine, number: try await engine.prepare(.online, using: token))
    }

    /// A session for reads that are stored. It needs a session online within ``TapToPayDeadlines/offlineFreshness``.
    public func prepareStoreAndForward() async throws(PaymentCardReaderError)
        -> StoreAndForwardPaymentCardReaderSession
    {
        StoreAndForwardPaymentCardReaderSession(
            engine: engine, number: try await engine.prepare(.storeAndForward, using: nil))
    }

    public func fetchPaymentCardReaderStore() throws(PaymentCardReaderError) -> PaymentCardReaderStore {
        PaymentCardReaderStore(driver: try engine.driver.store())
    }

    /// The app is not seen any more: the session is over, a read is canceled.
    public func entersBackground() async { await engine.note(.entersBackground) }

    /// The app is seen: a session that was wanted is made again, with growing pauses while that fails.
    public func entersForeground() async { await engine.note(.entersForeground) }

    /// The provider's payments that are stored: as long as there are any, a token of another issuer is refused.
    public func storedPayments(count: Int) async { await engine.note(.stored(count: count)) }

    /// Takes a newer token of the same issuer, without a new session.
    /// - Throws: ``PaymentCardReaderError/storeAndForwardTokenIssuerChanged`` while payments of another are stored.
    public func renew(_ token: Token) async throws(PaymentCardReaderError) { try await engine.accept(token) }

    /// Switches the reader off. A new preparation needs the network.
    public func close() async { await engine.note(.close) }
}
