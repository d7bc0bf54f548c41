import Foundation
import Synchronization
import TillCheckout
import TillContactless
import TillCore
@testable import TillCounter
@testable import TillFeatureTap
import TillJournal
import TillSandbox
import TillTapToPay

@testable import TillServer

/// A counter in memory with a reader for virtual cards: journal, sandbox, service, and whoever watches.
final class TapCounter: Sendable {
    let clock: SystemClock
    let provider: SandboxProvider
    let checkout: Checkout
    let journal: MemoryJournal
    let field: VirtualField
    let driver: CountingDriver
    let reader: PaymentCardReader
    let loyalty: SandboxLoyalty
    let service: TapToPayService

    init(preparation: Span = .milliseconds(0)) throws {
        guard let key = SandboxEnvelope.publicKey else { throw TapToPayError.notInitialized }
        let clock = SystemClock()
        self.clock = clock
        provider = SandboxProvider(store: SandboxMemoryStore(), clock: clock)
        journal = MemoryJournal(clock: clock)
        checkout = Checkout(journal: journal, providers: [provider], clock: clock)
        field = VirtualField(clock: clock)
        let tokens = SandboxReaderTokens(clock: clock)
        driver = CountingDriver(
            ContactlessTapDriver(
                ContactlessTapDriver.Setup(tokens: tokens, key: key, preparation: preparation), channel: field,
                clock: clock))
        reader = PaymentCardReader(driver: driver, clock: clock)
        loyalty = SandboxLoyalty(clock: clock)
        let count = Mutex(0)
        let nextOrder: @Sendable () -> OrderID = {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return OrderID(rawValue: "order-\(number)")
        }
        service = TapToPayService(
            psp: CheckoutTapToPay(
                checkout: checkout, provider: .sandbox, order: nextOrder,
                token: { try tokens.issue(merchant: "shop") }),
            reader: reader, loyalty: loyalty)
    }

    /// Taps a card as soon as the reader waits for one.
    func tap(_ card: VirtualCard) -> Task<Void, Never> {
        Task {
            while await !field.isWaiting {
                if Task.isCancelled { return }
                await Task.yield()
            }
            await field.present(card)
        }
    }

    func payment(_ result: TapToPayService.PaymentResult) async throws -> Payment {
        try await checkout.payment(PaymentID(rawValue: result.payment ?? ""), account: .main)
    }

    var payments: [Payment] {
        get async throws {
            var all: [Payment] = []
            for row in try await journal.payments(PaymentFilter(account: .main, limit: 50)) {
                if let payment = try await journal.payment(row.id) { all.append(payment) }
            }
            return all
        }
    }
}

/// Counts what is asked of a driver.
final class CountingDriver: PaymentCardReaderDriver {
    let inner: ContactlessTapDriver
    let prepares = Mutex(0)
    init(_ inner: ContactlessTapDriver) { self.inner = inner }

    var unsupported: PaymentCardReaderError? { inner.unsupported }
    func readerIdentifier() async throws(PaymentCardReaderError) -> String { try await inner.readerIdentifier() }
    func isAccountLinked(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) -> Bool {
        try await inner.isAccountLinked(using: token)
    }
    func linkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        try await inner.linkAccount(using: token)
    }
    func relinkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        try await inner.relinkAccount(using: token)
    }
    func prepare(
        using token: PaymentCardReader.Token, options: PaymentCardReader.Options,
        events: @escaping @Sendable (PaymentCardReader.Event) -> Void
    ) async throws(PaymentCardReaderError) -> any PaymentCardReaderSessionDriver {
        prepares.withLock { $0 += 1 }
        return try await inner.prepare(using: token, options: options, events: events)
    }
}

/// A reader as the seed has it: one stream of events that a canceled listener silences for good, nothing told to who
/// comes late. What a pattern must not depend on is shown with it.
final class NaiveEvents: Sendable {
    let stream: AsyncStream<PaymentCardReader.Event>
    let source: AsyncStream<PaymentCardReader.Event>.Continuation

    init() {
        (stream, source) = AsyncStream.makeStream(
            of: PaymentCardReader.Event.self, bufferingPolicy: .bufferingNewest(0))
    }

    func send(_ event: PaymentCardReader.Event) { source.yield(event) }
}
