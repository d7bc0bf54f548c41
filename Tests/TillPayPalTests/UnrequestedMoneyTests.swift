import Testing
import TillCards
import TillCheckout
import TillCore
import TillPayPalClient
import TillStandInPayPal
import TillTestSupport

@testable import TillPayPal

/// Orders for PayPal's own fields whose money was moved by somebody else than the counter.
@Suite("Money that the counter has not requested is judged before it is booked") struct UnrequestedMoneyTests {
    private static let waiting = CustomerAction(kind: PayPalProvider.attachAction, order: Fixture.order)
    private static let card = #","payment_source":{"card":{"last_digits":"7321","brand":"VISA"}}"#

    private func query(
        _ order: String, isRequested: Bool = false, isAtRest: Bool = false, policy: ThreeDSecure = .whenOffered
    ) async throws -> ProviderAnswer<ProviderSnapshot> {
        let provider = PayPalProvider(
            config: try Fixture.config(),
            transport: ScriptedTransport([.json(200, order), .json(200, #"{"items":[]}"#)]), clock: ManualClock(),
            threeDSecure: policy)
        var query = Fixture.query()
        query.action = isRequested ? nil : Self.waiting
        query.unjudged = isRequested ? nil : Self.waiting
        query.isContinued = isRequested
        query.isAtRest = isAtRest
        return await provider.query(query)
    }

    private func paid(
        _ more: String = UnrequestedMoneyTests.card, value: String = "12.50", custom: String = "pay_1-a1"
    ) -> String {
        Fixture.order(
            "COMPLETED", captures: [(Fixture.taken, "COMPLETED")], more: more, value: value, custom: custom)
    }

    private func snapshot(_ answer: ProviderAnswer<ProviderSnapshot>) throws -> ProviderSnapshot {
        guard case .approved(let snapshot) = answer else {
            Issue.record("\(answer)")
            throw Unanswered()
        }
        return snapshot
    }

    /// The query had no answer.
    private struct Unanswered: Error {}

    @Test("money that fits is booked without a word")
    func fits() async throws {
        let found = try snapshot(try await query(paid()))
        #expect(found.objection == nil && found.captured == Fixture.amount)
        guard case .authorized(let authorization) = found.standing else {
            Issue.record("\(found.standing)")
            return
        }
        #expect(authorization.isCaptured && authorization.amount == Fixture.amount)
    }

    @Test("what the counter has requested itself was judged before")
    func requested() async throws {
        let refused =
            #","payment_source":{"card":{"last_digits":"7321","authentication_result":{"liability_shift":"NO"}}}"#
        #expect(try snapshot(try await query(paid(refused), isRequested: true)).objection == nil)
    }

    @Test("a card that may not be charged, and an account in its place, are booked with an objection")
    func differs() async throws {
        for (more, word) in [
            (
                #","payment_source":{"card":{"last_digits":"7321","authentication_result":{"liability_shift":"NO"}}}"#,
                "LIABILITY_SHIFT_NO"
            ), (#","payment_source":{"paypal":{"account_id":"QYR5Z8XDVJNXQ"}}"#, "PAYMENT_SOURCE"),
            ("", "PAYMENT_SOURCE"),
        ] {
            let found = try snapshot(try await query(paid(more)))
            #expect(found.captured == Fixture.amount)
            #expect(found.objection?.contains(word) == true, "\(more)")
        }
        let unasked = try snapshot(try await query(paid(), policy: .required))
        #expect(unasked.objection?.contains("LIABILITY_SHIFT_") == true)
    }

    @Test("another amount is reported as what it is, with an objection")
    func amount() async throws {
        for (value, units) in [("12.51", 1251), ("12.49", 1249)] as [(String, Int64)] {
            let found = try snapshot(try await query(paid(value: value)))
            #expect(found.captured.minorUnits == units)
            #expect(found.objection?.contains("was asked for") == true)
            guard case .authorized(let authorization) = found.standing else {
                Issue.record("\(found.standing)")
                return
            }
            #expect(authorization.amount.minorUnits == units)
        }
    }

    @Test("the same number in another currency is another amount")
    func currency() async throws {
        let found = try snapshot(try await query(paid().replacing("EUR", with: "USD")))
        #expect(found.captured.currency.code == "USD" && found.captured.minorUnits == 1250)
        #expect(found.objection?.contains("12.50 USD has moved, and 12.50 EUR was asked for") == true)
    }

    @Test("an invoice number or a capture of something else is booked with an objection, and one's own is not")
    func names() async throws {
        let unit = #""custom_id":"pay_1-a1","#
        let capture = #""status":"COMPLETED","amount""#
        func number(_ name: String) -> String { #""invoice_id":"\#(name)","# }
        func related(_ order: String) -> String {
            #""status":"COMPLETED","supplementary_data":{"related_ids":{"order_id":"\#(order)"}},"amount""#
        }
        for (word, other, fault) in [
            (unit, unit + number("pay_1-a1"), nil),
            (unit, unit + number("R-77"), "the order has the invoice number R-77"),
            (capture, number("pay_1-a1") + capture, nil), (capture, number("pay_1-c1") + capture, nil),
            (capture, number("R-77") + capture, "has the invoice number R-77"),
            (capture, number("pay_2-c1") + capture, "has the invoice number pay_2-c1"),
            (capture, related(Fixture.order), nil),
            (capture, related("8AC90127TN364715T"), "is of the order 8AC90127TN364715T"),
        ] as [(String, String, String?)] {
            let order = paid().replacing(word, with: other)
            #expect(order != paid())
            let found = try snapshot(try await query(order))
            #expect(found.captured == Fixture.amount)
            if let fault {
                #expect(found.objection?.contains(fault) == true, "\(other)")
            } else {
                #expect(found.objection == nil, "\(other)")
            }
        }
    }

    @Test("an order that has lost the capture which is known is booked with an objection")
    func knownCapture() async throws {
        for (capture, isKnown) in [(Fixture.taken, true), ("1AB53561YB803214S", false)] {
            let provider = try Fixture.provider(ScriptedTransport([.json(200, paid())]))
            var query = Fixture.query("\(Fixture.order).C.\(capture)")
            query.unjudged = Self.waiting
            let found = try snapshot(await provider.query(query))
            #expect((found.objection == nil) == isKnown, "\(capture)")
        }
    }

    /// An order of which others have captured 5.00 of a hold.
    private func part(of held: String, _ status: String, last isFinal: Bool = false) -> String {
        func money(_ value: String) -> String { #""amount":{"currency_code":"EUR","value":"\#(value)"}"# }
        let whole = Fixture.order(
            "COMPLETED", captures: [(Fixture.taken, "COMPLETED")], holds: [(Fixture.hold, status)], more: Self.card,
            intent: "AUTHORIZE")
        let captured = #""status":"COMPLETED","# + money("12.50")
        let hold = #""status":"\#(status)","# + money("12.50")
        return whole.replacing(captured, with: #""status":"COMPLETED","final_capture":\#(isFinal),"# + money("5.00"))
            .replacing(hold, with: #""status":"\#(status)","# + money(held))
    }

    @Test("of a hold that others have captured in part, the rest stays held")
    func partOfHold() async throws {
        for (order, units, objects) in [
            (part(of: "12.50", "PARTIALLY_CAPTURED"), 1250, false),
            (part(of: "10.00", "PARTIALLY_CAPTURED"), 1000, true),
            // Nothing is left of these.
            (part(of: "12.50", "PARTIALLY_CAPTURED", last: true), 500, true),
            (part(of: "12.50", "CAPTURED"), 500, true),
        ] as [(String, Int64, Bool)] {
            let found = try snapshot(try await query(order))
            #expect(found.captured.minorUnits == 500)
            #expect((found.objection?.contains("was asked for") == true) == objects, "\(order)")
            guard case .authorized(let authorization) = found.standing else {
                Issue.record("\(found.standing)")
                return
            }
            #expect(authorization.amount.minorUnits == units, "\(order)")
        }
    }

    @Test("money on an order that names another attempt is not booked, and somebody is told")
    func foreign() async throws {
        // Also of a payment at rest, whose later queries say nothing new.
        for isAtRest in [false, true] {
            let found = try snapshot(try await query(paid(custom: "pay_2-a1"), isAtRest: isAtRest))
            #expect(found.standing == .processing && found.captured.isZero)
            #expect(found.objection?.contains("another attempt") == true)
        }
    }

    @Test("money on an order that the counter had ended is said")
    func ended() async throws {
        let found = try snapshot(try await query(paid(custom: "void-pay_1-a1")))
        #expect(found.objection?.contains("had ended the order") == true)
    }

    // MARK: The whole way

    /// A payment whose order others have charged with its attached card, which nobody has noticed yet.
    private func charged(_ mode: CaptureMode, in shop: MortalShop) async throws -> PaymentID {
        let engine = try shop.engine().engine
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: Fixture.amount)
        let id = try await engine.create(engine.draft(account: .main, order: order, captureMode: mode)).id
        let payment = try await engine.confirm(
            id, account: .main, provider: ProviderName(rawValue: "paypal"), tender: .payPalCard)
        let attempt = try #require(payment.currentAttempt)
        let prepared = try #require(attempt.lastAction?.order.flatMap { PayPalOrderID(ifValid: $0) })
        let app = CardClient(
            try CoreConfig(clientID: "client", environment: .custom("http://127.0.0.1:9")), transport: shop.payPal,
            clock: shop.clock)
        _ = try await app.approveOrder(
            prepared, card: try Fixture.card(), challenge: ChallengeReturn(base: "shop.example://card", random: (1, 2)))
        let elsewhere = PayPalProvider(config: try Fixture.config(), transport: shop.payPal, clock: shop.clock)
        let context = AttemptContext(
            account: .main, order: order.id, payment: id, attempt: attempt.id, startedAt: attempt.startedAt,
            reference: attempt.reference)
        let answer = await elsewhere.continueAuthorization(
            ContinuationRequest(
                context: context, amount: Fixture.amount, captureMode: mode,
                key: IdempotencyKey(rawValue: "dashboard")))
        guard case .approved = answer else {
            Issue.record("it was not charged: \(answer)")
            throw Unanswered()
        }
        return id
    }

    @Test("a capture in PayPal's dashboard pays the order once")
    func dashboard() async throws {
        let shop = MortalShop()
        let id = try await charged(.automatic, in: shop)
        try await shop.engine().engine.query(id)
        try await shop.settle()
        let found = try await shop.payment(id)
        #expect(found.status == .succeeded && found.captured == Fixture.amount && found.openAttention.isEmpty)
        #expect(await shop.taken() == 1250)
    }

    @Test("a hold of others that fits is judged once: what the counter takes of it later is no other amount")
    func heldElsewhere() async throws {
        let shop = MortalShop()
        let id = try await charged(.manual, in: shop)
        try await shop.engine().engine.query(id)
        #expect(try await shop.payment(id).status == .requiresCapture)
        try await shop.takePart(id)
        try await shop.engine().engine.query(id)
        let part = try await shop.payment(id)
        #expect(part.captured.minorUnits == 500 && part.openAttention.isEmpty)
        let released = try await shop.engine().engine.cancel(id, account: .main)
        try await shop.engine().engine.query(id)
        #expect(try await shop.payment(id).openAttention.isEmpty && released.captured.minorUnits == 500)
    }
}
