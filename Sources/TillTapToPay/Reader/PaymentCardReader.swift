public import TillCore

/// A contactless card reader: links the shop's account, is prepared, and creates sessions that read.
///
/// ```swift
/// let reader = PaymentCardReader(driver: driver)
/// if try await !reader.isAccountLinked(using: token) { try await reader.linkAccount(using: token) }
/// let session = try await reader.prepare(using: token)
/// let read = try await session.readPaymentCard(
///     PaymentCardTransactionRequest(Money(minorUnits: 1250, currency: .eur), reference: "1001"))
/// print(read.outcome.name)
/// ```
///
/// The names are Apple's; differences are documented. It works on every platform over the injected driver. Create one
/// reader for a device and keep it for as long as cards are accepted.
///
/// Safe from any thread. Every call ends with a result or with an error of its kind, also when its task is canceled.
public final class PaymentCardReader: Sendable {
    public let options: Options
    let engine: ReaderEngine

    /// Creates a reader over a driver.
    /// - Parameters:
    ///   - late: receives card data that arrive after their caller was answered without them. They belong to the
    ///     provider.
    public convenience init(
        driver: any PaymentCardReaderDriver, options: Options = Options(), clock: any TillClock = SystemClock(),
        deadlines: TapToPayDeadlines = TapToPayDeadlines(),
        late: @escaping @Sendable (PaymentCardReadResult) async -> Void = { _ in }
    ) {
        self.init(
            driver: driver, options: options, clock: clock, deadlines: deadlines, preferring: PreferredExecutor(),
            late: late)
    }

    /// Creates a reader whose work runs on an executor; `nil` is the system's choice. For tests.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public convenience init(
        driver: any PaymentCardReaderDriver, options: Options = Options(), clock: any TillClock = SystemClock(),
        deadlines: TapToPayDeadlines = TapToPayDeadlines(), executor: (any TaskExecutor)?,
        late: @escaping @Sendable (PaymentCardReadResult) async -> Void = { _ in }
    ) {
        self.init(
            driver: driver, options: options, clock: clock, deadlines: deadlines,
            preferring: PreferredExecutor(executor), late: late)
    }

    private init(
        driver: any PaymentCardReaderDriver, options: Options, clock: any TillClock, deadlines: TapToPayDeadlines,
        preferring executor: PreferredExecutor, late: @escaping @Sendable (PaymentCardReadResult) async -> Void
    ) {
        self.options = options
        engine = ReaderEngine(
            driver: driver, options: options, clock: clock, deadlines: deadlines, executor: executor, late: late)
    }

    /// A Boolean value that indicates whether this device can read cards at all. Static in Apple's API, because there
    /// is one driver.
    public var isSupported: Bool { engine.driver.unsupported == nil }

    /// Events, from the start of the last preparation or read on. Each use is an independent stream: one that ends, or
    /// is canceled with its task, does not silence the others.
    public var events: AsyncStream<Event> { engine.events.listen() }

    /// Events from now on. Each use is an independent stream.
    public var upcomingEvents: AsyncStream<Event> { engine.events.listen(withPast: false) }

    /// Events since the start of the last preparation or read; the newest 64.
    public var recentEvents: [Event] { engine.events.past }

    /// The status of the reader, followed by each change. Each use is an independent stream.
    public var statuses: AsyncStream<ReaderStatus> { engine.statuses.listen() }

    /// The current status of the reader.
    public var status: ReaderStatus { engine.status }

    /// The identifier of the reader, stable for this installation.
    public var readerIdentifier: String {
        get async throws(PaymentCardReaderError) { try await engine.driver.readerIdentifier() }
    }

    /// Returns `true` if the terms are accepted for the token's merchant.
    public func isAccountLinked(using token: Token) async throws(PaymentCardReaderError) -> Bool {
        if let reason = engine.driver.unsupported { throw reason }
        let isLinked = try await engine.driver.isAccountLinked(using: token)
        await engine.note(.accountKnown(isLinked: isLinked))
        return isLinked
    }

    /// Presents the terms; once for a merchant, on any device. An account that is already linked stays linked.
    public func linkAccount(using token: Token) async throws(PaymentCardReaderError) {
        try await engine.link(isRelink: false, using: token)
    }

    /// Presents the terms for another account.
    public func relinkAccount(using token: Token) async throws(PaymentCardReaderError) {
        try await engine.link(isRelink: true, using: token)
    }

    /// Returns a session for reads that are sent to the provider at once.
    ///
    /// An existing session is returned without calling the driver; concurrent calls share one preparation, and
    /// canceling one of them does not affect the others.
    public func prepare(using token: Token) async throws(PaymentCardReaderError) -> PaymentCardReaderSession {
        PaymentCardReaderSession(engine: engine, number: try await engine.prepare(.online, using: token))
    }

    /// Returns a session for stored reads. It needs an online session within ``TapToPayDeadlines/offlineFreshness``.
    public func prepareStoreAndForward() async throws(PaymentCardReaderError)
        -> StoreAndForwardPaymentCardReaderSession
    {
        StoreAndForwardPaymentCardReaderSession(
            engine: engine, number: try await engine.prepare(.storeAndForward, using: nil))
    }

    public func fetchPaymentCardReaderStore() throws(PaymentCardReaderError) -> PaymentCardReaderStore {
        PaymentCardReaderStore(driver: try engine.driver.store())
    }

    /// Handles the app's move to the background: the session ends, a read is canceled.
    public func entersBackground() async { await engine.note(.entersBackground) }

    /// Handles the app's return to the foreground: a wanted session is prepared again, with growing pauses while that
    /// fails.
    public func entersForeground() async { await engine.note(.entersForeground) }

    /// Records the number of stored payments: while there are any, a token of another issuer is refused.
    public func storedPayments(count: Int) async { await engine.note(.stored(count: count)) }

    /// Accepts a newer token of the same issuer, without a new session.
    /// - Throws: ``PaymentCardReaderError/storeAndForwardTokenIssuerChanged`` while payments of another issuer are
    ///   stored.
    public func renew(_ token: Token) async throws(PaymentCardReaderError) { try await engine.accept(token) }

    /// Switches the reader off. Preparing it again needs the network.
    public func close() async { await engine.note(.close) }
}
