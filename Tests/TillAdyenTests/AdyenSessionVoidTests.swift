import Testing
import TillCheckout
import TillCore
import TillStandInAdyen
import TillTestSupport
@testable import TillAdyen

/// The void of a session whose payment is reported before, between or after the webhooks of its cancels.
@Suite("Voids of Adyen's sessions") struct AdyenSessionVoidTests {
    private typealias Shop = AdyenSessionShop
    private static let received = #"{"status":"received"}"#

    private static func event(
        _ code: AdyenEventCode, _ reference: String, _ name: String, success: Bool
    ) -> AdyenNotification {
        AdyenNotification(
            eventCode: code, pspReference: name, originalReference: nil, merchantReference: reference,
            merchantAccount: "TillTest", amount: AdyenProviderTests.price, success: success,
            reason: success ? nil : "Transaction not found", at: nil, dispute: nil)
    }

    /// Returns `true` while the attempt is undecided and no money of it is counted.
    private static func isOpen(_ id: PaymentID, at shop: Shop) async throws -> Bool {
        let payment = try await shop.payment(id)
        return payment.attempts.last?.isUndecided == true && payment.captured.isZero && payment.refunds.isEmpty
    }

    // MARK: The order of the webhooks

    @Test(
        "money that a cancel has sent back is not counted, although its authorization is heard of first",
        arguments: [true, false])
    func authorizationFirst(isCanceled: Bool) async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        if isCanceled { _ = try await shop.checkout.cancel(id, account: .main) }
        _ = try await shop.browse("pay", session, webhook: "late")
        for _ in 0..<2 {
            shop.clock.advance(by: .hours(2))
            try await shop.checkout.recover()
        }
        #expect(await shop.adyen.ledger().last?["canceled"]?.boolValue == true)
        let cancels = try await shop.webhooks()
        #expect(await shop.adyen.deliverDelayed())
        try await shop.hear()
        #expect(try await Self.isOpen(id, at: shop))
        try await shop.hear(cancels)
        let payment = try await shop.payment(id)
        #expect(payment.attempts.last?.state == .voided && payment.captured.isZero)
        #expect((payment.status == .canceled) == isCanceled)
    }

    @Test(
        "money that is heard of while a void is open, and no cancel was sent, is canceled and not counted",
        arguments: [true, false])
    func beforeAnyCancel(isCanceled: Bool) async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        if isCanceled {
            _ = try await shop.checkout.cancel(id, account: .main)
        } else {
            shop.clock.advance(by: .minutes(61))
            try await shop.checkout.recover()
        }
        #expect(try await shop.payment(id).attempts.last?.void?.state.isOpen == true)
        _ = try await shop.browse("settle", session)
        try await shop.hear()
        #expect(try await Self.isOpen(id, at: shop))
        #expect(await shop.adyen.ledger().last?["canceled"]?.boolValue == true)
        try await shop.hear()
        let payment = try await shop.payment(id)
        #expect(payment.attempts.last?.state == .voided && payment.captured.isZero)
        #expect((payment.status == .canceled) == isCanceled)
    }

    @Test("a cancel that came before the payment is followed by another, whichever webhook comes first")
    func cancelBeforePayment() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        for _ in 0..<2 {
            shop.clock.advance(by: .hours(2))
            try await shop.checkout.recover()
        }
        let failed = try await shop.webhooks()
        #expect(!failed.isEmpty)
        _ = try await shop.browse("settle", session)
        try await shop.hear()
        #expect(try await Self.isOpen(id, at: shop))
        #expect(await shop.adyen.ledger().last?["canceled"]?.boolValue == false)
        try await shop.hear(failed)
        #expect(try await Self.isOpen(id, at: shop))
        #expect(await shop.adyen.ledger().last?["canceled"]?.boolValue == true)
        try await shop.hear()
        let payment = try await shop.payment(id)
        #expect(payment.attempts.last?.state == .voided && payment.captured.isZero)
    }

    @Test(
        "money that no cancel has released is counted, or refunded if the payment was canceled",
        arguments: [true, false])
    func refused(isCanceled: Bool) async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        if isCanceled { _ = try await shop.checkout.cancel(id, account: .main) }
        _ = try await shop.browse("pay", session, webhook: "late")
        for kind in ["over", "paid"] {
            try await shop.book.take([
                Self.event(.technicalCancel, "void-\(kind)-\(id)-a1.now", "TILLNO\(kind)", success: false)
            ])
        }
        #expect(await shop.adyen.deliverDelayed())
        let authorization = try await shop.webhooks()
        shop.clock.advance(by: .hours(2))
        try await shop.checkout.recover()
        try await shop.hear(authorization)
        try await shop.hear()
        for _ in 0..<3 {
            shop.clock.advance(by: .days(1))
            try await shop.checkout.recover()
            try await shop.hear()
        }
        let payment = try await shop.payment(id)
        #expect(payment.captured == AdyenProviderTests.price)
        let back: Int64 = isCanceled ? 1250 : 0
        #expect(payment.refunded == Money(minorUnits: back, currency: .eur))
        let ledger = await shop.adyen.ledger().last
        #expect(ledger?["canceled"]?.boolValue == false && ledger?["refunded"]?.int64Value == back)
    }

    // MARK: References and keys

    @Test("a cancel that failed before the payment was reported is no answer to its void; the void's own is")
    func staleFailure() async throws {
        let (clock, book) = (ManualClock(), AdyenNotificationLog(MemoryAdyenNotifications()))
        let transport = ScriptedTransport([.json(201, Self.received)])
        let provider = AdyenProvider(config: try Shop().config, transport: transport, book: book, clock: clock)
        let session = try #require(
            CustomerSession(id: "CS1", data: "x", endsAt: clock.now().adding(.hours(1))))
        let request = VoidRequest(
            context: try AdyenProviderTests.context(), authorizationKey: IdempotencyKey(rawValue: "k-1"), reason: "x",
            key: IdempotencyKey(rawValue: "v-1"),
            action: CustomerAction(kind: CustomerAction.finishedSession, session: session))
        try await book.take([
            Self.event(.technicalCancel, "void-pay_1-a1.now", "TILLC1", success: false),
            Self.event(.authorization, "pay_1-a1.now", "TILLP1", success: true),
        ])
        #expect(await provider.void(request) == .unknown(.pending))
        #expect(transport.calls.first?.body.contains("void-paid-pay_1-a1.now") == true)
        let own = Self.event(.technicalCancel, "void-paid-pay_1-a1.now", "TILLC2", success: false)
        #expect(try await book.ownAttempt(of: own)?.rawValue == "pay_1-a1")
        try await book.take([own])
        guard case .declined = await provider.void(request) else {
            Issue.record("each cancel has failed")
            return
        }
        #expect(transport.calls.count == 1)
    }

    @Test("cancels of one void with different bodies have different keys, and a repeated one has its own again")
    func keys() async throws {
        let book = AdyenNotificationLog(MemoryAdyenNotifications())
        let transport = ScriptedTransport(
            Array(repeating: ScriptedTransport.Step.json(201, Self.received), count: 4))
        let provider = AdyenProvider(config: try Shop().config, transport: transport, book: book, clock: ManualClock())
        func void(_ reference: ProviderReference? = nil) async throws {
            let request = VoidRequest(
                context: try AdyenProviderTests.context(reference), authorizationKey: IdempotencyKey(rawValue: "k-1"),
                reason: "x", key: IdempotencyKey(rawValue: "v-1"))
            #expect(await provider.void(request) == .unknown(.pending))
        }
        try await void()
        // It is reported under the second of the two references.
        try await book.take([Self.event(.authorization, "pay_1-a1", "TILLP1", success: true)])
        try await void()
        try await void(ProviderReference(rawValue: "TILLP1"))
        var bodies: [String: Set<String>] = [:]
        for call in transport.calls { bodies[call.key ?? "", default: []].insert(call.body) }
        #expect(transport.calls.count == 4 && bodies.count == 3)
        #expect(bodies.values.allSatisfy { $0.count == 1 })
    }
}
