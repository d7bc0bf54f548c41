import HTTPTypes
import Synchronization
import Testing
import TillCards
import TillCheckout
import TillCore
import TillJournal
import TillStandInBraintree
import TillTestSupport
@testable import TillBraintree

/// A refund whose request arrives late: Braintree keeps no keys, so it must not be sent again before that is excluded.
@Suite("Refunds that arrive late at Braintree") struct LateRefundTests {
    /// Keeps the next refund on the way until it is let through; searches for refunds find nothing, as an index that
    /// lags.
    private final class SlowWay: HTTPTransport {
        private struct State {
            var holdsNext = false
            var held: (HTTPRequest, [UInt8])?
            var refunds = 0
            var searchLags = false
        }
        let base = SandboxBraintree()
        private let state = Mutex(State())

        var refundsSent: Int { state.withLock { $0.refunds } }
        func holdNext() { state.withLock { $0.holdsNext = true } }
        func lagSearch() { state.withLock { $0.searchLags = true } }

        func letThrough() async throws {
            let held = state.withLock { state in
                defer { state.held = nil }
                return state.held
            }
            if let (request, body) = held { _ = try await base.send(request, body: body, deadline: .seconds(1)) }
        }

        func send(
            _ request: HTTPRequest, body: [UInt8], deadline: Span
        ) async throws(TransportFailure) -> HTTPReply {
            let path = request.path ?? ""
            let (isHeld, lags) = state.withLock { state -> (Bool, Bool) in
                guard path.hasSuffix("/refund") else { return (false, state.searchLags) }
                state.refunds += 1
                guard state.holdsNext else { return (false, false) }
                state.holdsNext = false
                state.held = (request, body)
                return (true, false)
            }
            if isHeld { throw .unknown(reason: "no answer in time") }
            if lags, path.hasSuffix("/advanced_search_ids") {
                var response = HTTPResponse(status: .ok)
                response.headerFields[.contentType] = "application/xml"
                let none =
                    #"<search-results><page-size type="integer">50</page-size><ids type="array"/></search-results>"#
                return HTTPReply(response: response, body: Array(none.utf8))
            }
            return try await base.send(request, body: body, deadline: deadline)
        }
    }

    private struct Shop {
        let way = SlowWay()
        let clock = ManualClock(waits: .last)
        let journal = MemoryJournal()
        let checkout: Checkout
        let id: PaymentID

        init() async throws {
            let provider = try BraintreeProviderTests.provider(way, at: clock)
            checkout = Checkout(journal: journal, providers: [provider], clock: clock)
            let order = try Order(id: OrderID(rawValue: "o-1"), amount: BraintreeProviderTests.amount)
            let payment = try await checkout.create(
                checkout.draft(account: .main, order: order, captureMode: .automatic))
            id = payment.id
            _ = try await checkout.confirm(
                id, account: .main, provider: provider.name, tender: .card(BraintreeProviderTests.card().details))
            await way.base.settle()
        }

        func payment() async throws -> Payment { try await checkout.payment(id, account: .main) }
        /// All of the sale, as the engine would ask for it the first time.
        func wholeRefund() async throws -> RefundRequest {
            let payment = try await payment()
            let attempt = try #require(payment.currentAttempt)
            return RefundRequest(
                context: AttemptContext(
                    account: .main, order: payment.order.id, payment: payment.id, attempt: attempt.id,
                    startedAt: attempt.startedAt, reference: attempt.reference),
                refund: RefundID(rawValue: "\(payment.id)-r1"), amount: payment.amount, reason: nil,
                key: IdempotencyKey(rawValue: "r"))
        }
        func refunded() async -> Int64 {
            await way.base.ledger().reduce(0) { $0 + ($1["refunded"]?.int64Value ?? 0) }
        }
        /// Runs what is due for a time, minute by minute.
        func pass(_ minutes: Int64) async throws {
            for _ in 0..<minutes {
                clock.advance(by: .minutes(1))
                try await checkout.recover()
            }
        }
    }

    @Test("one that is under way is not sent again for ten minutes, and is recognized when it arrives") func late()
        async throws
    {
        let shop = try await Shop()
        shop.way.holdNext()
        let part = Money(minorUnits: 500, currency: .eur)
        let open = try await shop.checkout.refund(shop.id, account: .main, amount: part)
        #expect(open.refunds[0].state.isOpen)
        try await shop.pass(9)
        #expect(shop.way.refundsSent == 1)
        shop.way.lagSearch()
        try await shop.way.letThrough()
        try await shop.pass(30)
        #expect(try await shop.payment().refunded == part)
        #expect(await shop.refunded() == 500 && shop.way.refundsSent == 1)
    }

    @Test("one that another process may have sent after its query is not sent before it can arrive no more")
    func sentByAnother() async throws {
        let shop = try await Shop()
        var payment = try await shop.payment()
        let attempt = try #require(payment.currentAttempt)
        let (refund, part) = (RefundID(rawValue: "\(payment.id)-r1"), Money(minorUnits: 500, currency: .eur))
        let request = RefundRequest(
            context: AttemptContext(
                account: .main, order: payment.order.id, payment: payment.id, attempt: attempt.id,
                startedAt: attempt.startedAt, reference: attempt.reference),
            refund: refund, amount: part, reason: nil, key: IdempotencyKey(rawValue: "r"))
        // It has written that a query showed the refund to be not done, has sent it, and is dead or slow.
        let (version, now) = (payment.version, shop.clock.now())
        let events = [
            PaymentEvent.refundStarted(refund, attempt.id, part, reason: nil),
            .deferred(.refund(refund), until: now, reason: .notDone("not refunded yet")),
        ].map { RecordedEvent($0, at: now) }
        for event in events { payment.evolve(event) }
        var write = JournalWrite()
        write.append = JournalWrite.Append(
            payment: payment, expectedVersion: version, events: events, nextDue: payment.nextDue, holder: .nobody)
        try await shop.journal.write(write)
        shop.way.holdNext()
        _ = await (try BraintreeProviderTests.provider(shop.way, at: shop.clock)).refund(request)
        shop.way.lagSearch()
        try await shop.checkout.recover()
        #expect(shop.way.refundsSent == 1)
        try await shop.pass(9)
        #expect(shop.way.refundsSent == 1)
        try await shop.way.letThrough()
        try await shop.pass(30)
        #expect(try await shop.payment().refunded == part)
        #expect(await shop.refunded() == 500 && shop.way.refundsSent == 1)
    }

    @Test("one that was lost is sent again once it can arrive no more") func lost() async throws {
        let shop = try await Shop()
        shop.way.holdNext()
        _ = try await shop.checkout.refund(shop.id, account: .main, amount: Money(minorUnits: 500, currency: .eur))
        try await shop.pass(30)
        #expect(try await shop.payment().refunded.minorUnits == 500)
        #expect(await shop.refunded() == 500 && shop.way.refundsSent == 2)
    }

    @Test("a duplicate that arrives beyond every bound is reported, with what went back too much") func duplicate()
        async throws
    {
        let shop = try await Shop()
        shop.way.holdNext()
        _ = try await shop.checkout.refund(shop.id, account: .main, amount: Money(minorUnits: 500, currency: .eur))
        try await shop.pass(30)
        try await shop.way.letThrough()
        try await shop.checkout.query(shop.id)
        let payment = try await shop.payment()
        #expect(
            payment.attention.contains(
                .refundedMoreThanOnce(payment.refunds[0].id, Money(minorUnits: 500, currency: .eur))))
    }

    @Test("a whole refund that a late request has made is done, although Braintree answers 91512") func whole()
        async throws
    {
        let shop = try await Shop()
        let request = try await shop.wholeRefund()
        // Two are under way at once; the second sees the sale as it was before the first arrived.
        let racing = RacingWay(shop.way.base)
        let answer = await (try BraintreeProviderTests.provider(racing, at: shop.clock)).refund(request)
        guard case .approved = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(await shop.refunded() == 1250)
    }

    @Test("a process that has lost its payments sends nothing, since Braintree would do it twice") func lostLease()
        async throws
    {
        let shop = try await Shop()
        let request = try await shop.wholeRefund()
        let provider = try BraintreeProviderTests.provider(shop.way, at: shop.clock)
        let answer = await SendingAuthority.$current.withValue(SendingAuthority { false }) {
            await provider.refund(request)
        }
        guard case .notSent = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(await shop.refunded() == 0 && shop.way.refundsSent == 0)
    }

    @Test(
        "after a refund in the control panel, which takes over the sale's order id, nobody is told to refund it another way",
        arguments: [true, false])
    func elsewhere(_ hasNameOfSale: Bool) async throws {
        let shop = try await Shop()
        let attempt = try #require(try await shop.payment().currentAttempt)
        let provider = try BraintreeProviderTests.provider(shop.way, at: shop.clock)
        let context = AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: PaymentID(rawValue: "pay_else"),
            attempt: attempt.id, startedAt: attempt.startedAt, reference: attempt.reference)
        let foreign = RefundRequest(
            context: context, refund: RefundID(rawValue: hasNameOfSale ? attempt.id.rawValue : "by-hand"),
            amount: BraintreeProviderTests.amount, reason: nil,
            key: IdempotencyKey(rawValue: "x"))
        guard case .approved = await provider.refund(foreign) else {
            Issue.record("not refunded in the control panel")
            return
        }
        let refused = try await shop.checkout.refund(shop.id, account: .main)
        guard case .refused(let decline) = refused.refunds[0].state else {
            Issue.record("\(refused.refunds[0].state)")
            return
        }
        #expect(decline.reason == .alreadyRefunded)
        #expect(decline.reason.refundSentence.contains("Do not refund it another way"))
        #expect(await shop.refunded() == 1250)
    }
}

/// Sends each refund twice and hands out the second answer.
private struct RacingWay: HTTPTransport {
    let base: SandboxBraintree
    init(_ base: SandboxBraintree) { self.base = base }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        if request.path?.hasSuffix("/refund") == true {
            _ = try await base.send(request, body: body, deadline: deadline)
        }
        return try await base.send(request, body: body, deadline: deadline)
    }
}
