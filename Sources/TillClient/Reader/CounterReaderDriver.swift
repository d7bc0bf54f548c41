import TillCore
public import TillHardware

/// The readers of a shop's counter, for the reader service of an app.
///
/// ```swift
/// import TillHardware
///
/// let counter = try CounterClient(
///     address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
/// let service = StandardCardReaderService(driver: CounterReaderDriver(counter), limits: .counter)
/// try await service.start(CounterReaderConfig(counter))
/// ```
///
/// The payment is the counter's: it is in the counter's journal before a reader wakes, and an app that dies finds it
/// again under the order's key.
///
/// The counter asks for the card and charges it in one request, so ``collect(_:)`` only checks the payment and
/// remembers the tipping prompt; the card is presented during ``confirm(_:_:)``, after the app's durable write. The
/// service therefore needs the longer limits of `CardReaderServiceLimits.counter`, and refuses to cancel during the
/// wait for the card; ``cancelCollect()`` of this driver ends that wait.
///
/// A confirmation is sent under a key made of the payment and the number of its attempts that had ended when the intent
/// was read. Repeated with the same intent, by this or another process, it is the same request; a payment that is being
/// charged, is paid or has another ended attempt since is followed or reported, never charged again. Only the whole
/// amount counts as paid. A confirmation that was sent more than once, and of which a copy may still begin another
/// attempt, is unknown.
///
/// ``disconnect()`` and ``clear()`` end every loop; they cancel nothing at the counter.
public actor CounterReaderDriver: CardReaderDriver {
    /// The capabilities of these readers. Amount limits are the counter's.
    public nonisolated let capabilities = CardReaderDriverCapabilities(
        createsIntents: .onServer, needsConnectionToken: false, refunds: false, reconnects: false,
        reportsRemoval: false, collectsInConfirmation: true)

    let client: CounterClient
    let limits: CounterReaderLimits
    var clock: any TillClock { client.clock }
    private(set) var handler: CardReaderDriverEventHandler?
    private var link = Link.none
    private let commands = DriverCommands<Command>()
    /// Counts connections begun and ended: a connection that another one has overtaken is not kept.
    private var generation: UInt64 = 0
    /// The tipping prompt of the payment that was last prepared for a card.
    var prepared: Prepared?
    /// Payments with copies of a confirmation that have no answer; the oldest is forgotten first.
    var unanswered: [Unanswered] = []
    /// The confirmations of this driver that are under way at a reader.
    let posts = CounterPosts()

    private enum Link {
        case none
        case connected(CounterReader)
    }

    enum Command {
        case discovery
        case confirmation
        case other
    }

    struct Prepared {
        let payment: PaymentID
        let tipping: CounterTipping
    }

    struct Unanswered {
        let payment: PaymentID
        /// The number of attempts that had ended before the confirmation.
        let endedBefore: Int
        let copies: CounterCopies
    }

    /// Creates a driver for the readers of a counter. It serves one service.
    public init(_ client: CounterClient, limits: CounterReaderLimits = CounterReaderLimits()) {
        self.client = client
        self.limits = limits
    }

    /// Sets the handler for reader events. There is one; the latest replaces any other.
    public func observe(_ handler: @escaping CardReaderDriverEventHandler) async { self.handler = handler }

    // MARK: Readers

    /// Lists the counter's readers again and again, and reports each change, until it is canceled.
    /// - Throws: `featureNotAvailableWithConnectedReader` for a discovery by radio or cable; the counter's refusal; a
    ///   failure that has lasted for `CounterReaderLimits.discoveryFailures` lists.
    public func discover(
        _ request: CardReaderDiscoveryRequest, found: @escaping @Sendable ([CardReader]) async -> Void
    ) async throws(CardReaderFailure) {
        guard request.method == .any || request.method == .internet else {
            throw CardReaderFailure(.featureNotAvailableWithConnectedReader)
        }
        let (client, limits) = (client, limits)
        try await run(.discovery) { () async throws(CardReaderFailure) -> Void in
            var last: [CardReader]?
            var failures = 0
            repeat {
                do throws(CounterError) {
                    let readers = try await client.readers().readers.map { CardReader($0) }
                    failures = 0
                    if Task.isCancelled { break }
                    if readers != last { await found(readers) }
                    last = readers
                } catch {
                    failures += 1
                    if case .refused(let problem) = error, !problem.isTemporary { throw CardReaderFailure(error) }
                    guard failures < limits.discoveryFailures else { throw CardReaderFailure(error) }
                }
            } while await client.clock.pause(for: limits.discoveryInterval)
            throw CardReaderFailure(.commandCanceled)
        }
    }

    public func cancelDiscovery() async throws(CardReaderFailure) { end { $0 == .discovery } }

    /// Selects a reader of the counter. The counter keeps no connection, so several apps can use one reader in turns.
    /// - Throws: `readerBusy` if it is in use and the options forbid that; `readerNotFound` for a reader that the
    ///   counter does not list, or at another location.
    public func connect(
        _ reader: CardReader, _ request: CardReaderConnectionRequest
    ) async throws(CardReaderFailure) -> CardReader {
        let client = client
        generation &+= 1
        let begun = generation
        let found = try await run(.other) { () async throws(CardReaderFailure) -> CounterReader in
            let list: CounterReaderList
            do throws(CounterError) { list = try await client.readers() } catch { throw CardReaderFailure(error) }
            guard let found = list.readers.first(where: { $0.id == reader.serial }) else {
                throw CardReaderFailure(.readerNotFound)
            }
            if request.options.failsIfInUse, found.isBusy { throw CardReaderFailure(.readerBusy) }
            let place: String?
            do { place = try await request.configuration.locationID() } catch {
                throw error as? CardReaderFailure ?? CardReaderFailure(.invalidLocation)
            }
            if let place, place != found.location {
                throw CardReaderFailure(
                    .readerNotFound, message: "The reader stands at another location than this app.")
            }
            return found
        }
        guard generation == begun, !Task.isCancelled else { throw CardReaderFailure(.connectionAttemptInvalidated) }
        link = .connected(found)
        var known = CardReader(found)
        known.status = .connected
        return known
    }

    /// Stops using the reader and ends every loop. A confirmation that is under way has an unknown outcome afterwards.
    public func disconnect() async throws(CardReaderFailure) { leave() }

    public func clear() async {
        leave()
        prepared = nil
        unanswered = []
    }

    private func leave() {
        link = .none
        generation &+= 1
        end { _ in true }
    }

    /// Cancels what the connected reader is doing for a confirmation of this driver; refused once the card is being
    /// charged. Does nothing unless the request for it is under way at this reader: the reader may serve another till.
    public func cancelCollect() async throws(CardReaderFailure) {
        guard case .connected(let reader) = link, posts.isUnderWay(at: reader.id) else { return }
        do throws(CounterError) { try await client.cancelReader(reader.id) } catch {
            var failure = CardReaderFailure(error)
            if failure.underlyingError == .readerBusy { failure.underlyingError = .cancelFailedUnavailable }
            throw failure
        }
    }

    // MARK: What they share

    /// Returns the connected reader, which must be the one that a command is for.
    func reader(_ asked: CardReader) throws(CardReaderFailure) -> CounterReader {
        guard case .connected(let reader) = link else { throw CardReaderFailure(.notConnectedToReader) }
        guard reader.id == asked.serial else {
            throw CardReaderFailure(
                .notConnectedToReader, message: "The reader \(asked.serial) is not connected; \(reader.id) is.")
        }
        return reader
    }

    /// Reports the reader's progress with a command.
    func tell(_ event: CardReaderEvent, of attempt: CardReaderAttemptID) async {
        var event = event
        event.attempt = attempt
        await handler?(.reader(event))
    }

    /// Runs a command as a task that ``disconnect()`` and its caller can end.
    func run<Value: Sendable>(
        _ command: Command, _ body: @escaping @Sendable () async throws(CardReaderFailure) -> Value
    ) async throws(CardReaderFailure) -> Value {
        try await commands.run(command, body)
    }

    private func end(_ isMeant: (Command) -> Bool) { commands.end(isMeant) }
}
