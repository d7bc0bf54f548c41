import HTTPTypes
package import TillContactless
package import TillCore
package import TillCounter
import TillHardware
import TillSandbox
package import TillTapToPay
package import TillWeb

/// The virtual reader of a counter in sandbox mode: requests a card and the shop's loyalty pass in one tap, and accepts
/// the virtual card selected on the page.
///
/// It does one read at a time. The encrypted result takes the same confirmation path as any reader's card.
public actor VirtualTapService {
    /// The reader's name in a tender.
    public static let label = "tap"
    /// The requested pass: the example shop's.
    public static let pass = "pass.com.example.loyalty"
    /// The maximum number of taps with a stored story.
    static let mostRemembered = 64

    /// The sale of a tap.
    package struct Sale: Hashable, Sendable {
        package let account: AccountID
        package let order: OrderID
    }

    /// The reader's events in one sale.
    struct Story: Sendable {
        package var steps: [PaymentCardReader.Event] = []
        package var isWaiting = false
        var passes: VASReadResult?
        package var visit: LoyaltyVisit?
    }

    private let clock: any TillClock
    /// The account of taps that name none.
    private let account: AccountID
    private let reader: PaymentCardReader
    private let field: VirtualField
    /// Made for the first pass: it computes the key of the example pass.
    private lazy var loyalty: any LoyaltyProgram = SandboxLoyalty(clock: clock)
    private let tokens: ReaderTokenKeeper
    private var current: (sale: Sale, session: PaymentCardReaderSession?)?
    private var stories: [Sale: Story] = [:]
    private var order: [Sale] = []

    /// Creates the service if the sandbox is the provider; `nil` otherwise: virtual cards never take real money.
    package init?(sandboxOf counter: Counter) {
        guard counter.options.provider == .sandbox else { return nil }
        self.init(clock: counter.clock, account: counter.options.account)
    }

    package init?(clock: any TillClock, account: AccountID) {
        guard let key = SandboxEnvelope.publicKey else { return nil }
        self.clock = clock
        self.account = account
        let issuer = SandboxReaderTokens(clock: clock)
        field = VirtualField(clock: clock)
        reader = PaymentCardReader(
            driver: ContactlessTapDriver(
                ContactlessTapDriver.Setup(
                    name: VirtualTapService.label, tokens: issuer, key: key, preparation: .milliseconds(400)),
                channel: field, clock: clock),
            clock: clock)
        tokens = ReaderTokenKeeper(clock: clock) { try issuer.issue(merchant: "sandbox") }
    }

    /// Returns a collector that handles this reader and passes other readers to `collector`.
    package nonisolated func collector(else collector: @escaping CardCollector) -> CardCollector {
        { label, card, parameters, tell in
            guard label == VirtualTapService.label else { return try await collector(label, card, parameters, tell) }
            guard card == nil else {
                throw Problem.field("tender.card", "A card is held to this reader, not named in the request.")
            }
            return try await self.collect(parameters, tell)
        }
    }

    // MARK: One tap

    private func collect(
        _ parameters: PaymentIntentParameters, _ tell: @escaping @Sendable (CardReaderEvent) -> Void
    ) async throws -> CardPresentPayload {
        let sale = Sale(account: parameters.account ?? account, order: parameters.order)
        try await takeOver(sale)
        guard current == nil else {
            throw Problem(
                .conflict, "reader_busy", "The reader is busy with another sale.", next: "Wait until that is done."
            ).retrying(after: 2)
        }
        current = (sale, nil)
        begin(sale)
        await field.remove()
        let upcoming = reader.upcomingEvents
        let listener = Task { for await event in upcoming { self.forward(event, of: sale, tell) } }
        defer {
            listener.cancel()
            stories[sale]?.isWaiting = false
            stories[sale]?.steps = reader.recentEvents
            current = nil
        }
        do {
            let session = try await ready()
            current = (sale, session)
            let request = PaymentCardTransactionRequest(parameters.amount, reference: sale.order.rawValue)
            let passes = VASRequest(vasMerchants: [VASRequest.Merchant(id: VirtualTapService.pass)])
            let (card, answer) = try await session.readPaymentCard(
                request, vasRequest: passes, stopOnVASResult: false)
            return try await payload(card, answer, of: sale)
        } catch let error as any ExplainedError {
            throw Problem(.conflict, error.code, error.what, next: error.next)
        }
    }

    /// Cancels the abandoned read of the same sale after a page reload.
    private func takeOver(_ sale: Sale) async throws {
        guard let current, current.sale == sale, let session = current.session else { return }
        _ = try? await session.cancelRead()
        for _ in 0..<50 where self.current != nil { try await clock.sleep(for: .milliseconds(20)) }
    }

    private func ready() async throws -> PaymentCardReaderSession {
        let token = try await tokens.token()
        if try await !reader.isAccountLinked(using: token) { try await reader.linkAccount(using: token) }
        return try await reader.prepare(using: token)
    }

    private func payload(
        _ card: PaymentCardReadResult?, _ passes: VASReadResult?, of sale: Sale
    ) async throws -> CardPresentPayload {
        stories[sale]?.passes = passes
        if let entry = passes?.entries.first(where: { $0.status == .success }) {
            stories[sale]?.visit = try? await loyalty.recordVisit(entry)
        }
        guard let card else { throw TapToPayError.noCardData }
        guard card.outcome == .success, let sealed = card.paymentCardData else {
            throw TapToPayError.read(card.outcome == .cardDeclined ? .paymentCardDeclined : .cardReadFailed)
        }
        return CardPresentPayload(reader: VirtualTapService.label, sealed: Secret(sealed), card: card.card)
    }

    private func begin(_ sale: Sale) {
        if stories[sale] == nil { order.append(sale) }
        stories[sale] = Story()
        if order.count > VirtualTapService.mostRemembered { stories[order.removeFirst()] = nil }
    }

    private func forward(
        _ event: PaymentCardReader.Event, of sale: Sale, _ tell: @Sendable (CardReaderEvent) -> Void
    ) {
        guard current?.sale == sale, var story = stories[sale] else { return }
        story.steps = reader.recentEvents
        story.isWaiting = event == .readyForTap || event == .readRetry
        stories[sale] = story
        // Percentages are for the progress bar, not for the list of steps.
        if case .updateProgress = event { return }
        guard let sentence = event.sentence else { return }
        let type: CardReaderEventType =
            switch event {
            case .readyForTap, .readRetry: .waitingForInput
            case .cardDetected: .cardInserted
            case .removeCard: .removeCard
            case .readCompleted: .cardDetailsCollected
            case .readCancelled: .canceled
            default: .displayMessage
            }
        tell(CardReaderEvent(type, message: sentence))
    }

    // MARK: The page

    /// Presents a virtual card to the reader.
    package func present(_ card: VirtualCard, to sale: Sale) async throws(Problem) {
        guard current?.sale == sale else { throw VirtualTapService.notWaiting }
        await field.present(card)
    }

    /// Cancels the read of a sale. Returns `true` if no card was read.
    package func cancel(_ sale: Sale) async throws(Problem) -> Bool {
        guard let current, current.sale == sale else { throw VirtualTapService.notWaiting }
        guard let session = current.session else { return false }
        return (try? await session.cancelRead()) ?? false
    }

    /// Closes the reader, which ends a pending read.
    package func close() async { await reader.close() }

    /// Returns the reader's events in a sale.
    func story(of sale: Sale) -> Story? { stories[sale] }

    /// The reader's current status.
    package nonisolated var status: ReaderStatus { reader.status }

    private static var notWaiting: Problem {
        Problem(
            .conflict, "reader_not_waiting", "The reader does not wait for a card of this sale.",
            next: "Press Charge first.")
    }
}
