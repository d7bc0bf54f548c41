import Testing
import TillCheckout
import TillCore
import TillJournal
import TillSandbox
import TillStandInAdyen
import TillTestSupport
@testable import TillAdyen

/// Cards that Adyen's components take in a session: opened by the counter, paid in a browser, judged by the webhook.
@Suite("Sessions of Adyen") struct AdyenSessionTests {
    private typealias Shop = AdyenSessionShop

    private static let refused = "4000000000000002"
    private static let asked = "4000000000003220"

    @Test("completed is unknown until the webhook tells of the money", arguments: ["now", "late", "twice"])
    func pays(webhook: String) async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        let result = try await shop.browse("pay", session, webhook: webhook)
        #expect(try await shop.finish(id, result).status == .unknown)
        // The same result again asks nobody, and changes nothing.
        #expect(try await shop.finish(id, result).status == .unknown)
        if webhook == "late" {
            try await shop.deliver(id)
            #expect(try await shop.payment(id).status == .unknown)
            #expect(await shop.adyen.deliverDelayed())
        }
        try await shop.deliver(id)
        let payment = try await shop.payment(id)
        #expect(payment.status == .succeeded && payment.captured == AdyenProviderTests.price)
        #expect(await shop.taken() == 1250)
    }

    @Test("a webhook that comes before the browser pays by itself", arguments: [CaptureMode.automatic, .manual])
    func webhookFirst(mode: CaptureMode) async throws {
        let shop = try Shop()
        let id = try await shop.create(mode)
        let session = try await shop.open(id)
        let result = try await shop.browse("pay", session)
        try await shop.deliver(id)
        let status = try await shop.payment(id).status
        #expect(status == (mode == .automatic ? .succeeded : .requiresCapture))
        #expect(try await shop.finish(id, result).status == status)
        #expect(await shop.taken() == (mode == .automatic ? 1250 : 0))
    }

    @Test("a refused card ends no session: another one may pay in it, and no second session is opened meanwhile")
    func refusedCard() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        let first = try await shop.browse("pay", session, card: Self.refused)
        try await shop.deliver(id)
        #expect(try await shop.payment(id).status == .requiresAction)
        let waiting = try await shop.finish(id, first)
        #expect(waiting.status == .requiresAction)
        #expect(waiting.currentAttempt?.awaitedAction?.session == session)
        await #expect(throws: CheckoutError.self) {
            _ = try await shop.checkout.confirm(
                id, account: .main, provider: shop.provider.name, tender: .adyenSession)
        }
        _ = try await shop.browse("pay", session)
        try await shop.deliver(id)
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(try await shop.payment(id).attempts.count == 1)
    }

    @Test("a session that takes no card any more is declined, and the next attempt has one of its own")
    func usedUp() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        for _ in 0..<2 { _ = try await shop.browse("pay", session, card: Self.refused) }
        let last = try await shop.browse("pay", session, card: Self.refused)
        #expect(try await shop.finish(id, last).status == .declined)
        let next = try await shop.open(id)
        #expect(next.id != session.id)
        _ = try await shop.browse("pay", next)
        try await shop.deliver(id)
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(await shop.taken() == 1250)
    }

    @Test("a bank that asks is open until its answer; a customer who leaves may come back")
    func challenge() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        for word in ["pay", "leave"] {
            let result = try await shop.browse(word, session, card: Self.asked)
            #expect(try await shop.finish(id, result).status == .requiresAction)
        }
        let failed = try await shop.browse("fail", session)
        #expect(try await shop.finish(id, failed).status == .requiresAction)
        _ = try await shop.browse("pay", session, card: Self.asked)
        let passed = try await shop.browse("pass", session)
        #expect(try await shop.finish(id, passed).status == .unknown)
        try await shop.deliver(id)
        #expect(try await shop.payment(id).status == .succeeded)
    }

    @Test("the result of another session says nothing about this one")
    func foreign() async throws {
        let shop = try Shop()
        let (id, other) = (try await shop.create(), try await shop.create(order: "o-2"))
        let (session, foreign) = (try await shop.open(id), try await shop.open(other))
        let result = try await shop.browse("pay", foreign)
        let made = try #require(SessionResult("made-up"))
        for wrong in [result, made] {
            _ = try await shop.finish(id, wrong)
            try await shop.checkout.query(id)
            let payment = try await shop.payment(id)
            #expect(payment.status == .requiresAction)
            #expect(payment.currentAttempt?.awaitedAction?.session == session)
        }
    }

    @Test("an expired session ends the attempt; one that nobody paid is given up after its hour, and not before")
    func expires() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        let over = try await shop.browse("expire", session)
        #expect(try await shop.finish(id, over).status == .requiresAction)
        shop.clock.advance(by: AdyenProvider.sessionLife)
        #expect(try await shop.finish(id, over).attempts.last?.isUndecided == true)
        shop.clock.advance(by: AdyenProvider.sessionGrace)
        _ = try await shop.finish(id, over)
        #expect(try await shop.payment(id).attempts.last?.state == .voided)
        let second = try await shop.open(id)
        shop.clock.advance(by: .minutes(59))
        try await shop.checkout.recover()
        #expect(try await shop.payment(id).status == .requiresAction)
        for _ in 0..<6 {
            shop.clock.advance(by: .minutes(5))
            try await shop.checkout.recover()
        }
        // Nothing shows yet that Adyen's webhooks come at all.
        #expect(try await shop.payment(id).attempts.last?.state != .voided)
        try await shop.hear()
        #expect(try await shop.payment(id).attempts.last?.state == .voided)
        _ = try await shop.browse("pay", second)
        #expect(await shop.taken() == 0)
    }

    @Test("a session is not over before its end, whatever is asked of it")
    func cancels() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        // A card that was refused closes nothing either.
        _ = try await shop.browse("pay", session, card: Self.refused)
        try await shop.deliver(id)
        _ = try await shop.checkout.cancel(id, account: .main)
        #expect(try await shop.payment(id).attempts.last?.state != .voided)
        #expect(try await shop.payment(id).status != .canceled)
        let grace = AdyenProvider.sessionGrace
        for (moment, isOver) in [
            (session.endsAt, false), (session.endsAt.adding(grace), true),
        ] {
            let provider = AdyenProvider(
                config: shop.config, transport: shop.adyen, book: shop.book, clock: ManualClock(moment))
            #expect(provider.isOver(session) == isOver)
        }
    }

    @Test("an answer that was lost leaves no session: the next one is another")
    func lost() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        shop.adyen.faults.fail(.authorize, with: .timeoutAfterCommit, times: 1)
        let payment = try await shop.checkout.confirm(
            id, account: .main, provider: shop.provider.name, tender: .adyenSession)
        guard case .notSent? = payment.attempts.last?.state else {
            Issue.record("\(String(describing: payment.attempts.last?.state))")
            return
        }
        _ = try await shop.browse("pay", try await shop.open(id))
        try await shop.deliver(id)
        #expect(try await shop.payment(id).status == .succeeded)
    }

    @Test("a session whose answer came too late is nobody's: the attempt is over once its hour is, and not before")
    func unheld() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        try await shop.loseAnswer(id)
        #expect(try await shop.payment(id).status == .unknown)
        shop.clock.advance(by: .minutes(30))
        try await shop.checkout.recover()
        #expect(try await shop.payment(id).status == .unknown)
        for _ in 0..<3 {
            shop.clock.advance(by: .hours(1))
            try await shop.checkout.recover()
        }
        #expect(try await shop.payment(id).attempts.last?.state == .voided)
        _ = try await shop.browse("pay", try await shop.open(id))
        try await shop.deliver(id)
        #expect(try await shop.payment(id).status == .succeeded)
    }

    // MARK: The judgment

    private func judged(
        _ amount: Money, account: String = "TillTest", reference: String = "pay_1-a1.now"
    ) async throws -> ProviderAnswer<ProviderSnapshot> {
        let notices = MemoryAdyenNotifications()
        await notices.keep([
            AdyenNotification(
                eventCode: .authorization, pspReference: "TILL1", originalReference: nil, merchantReference: reference,
                merchantAccount: account, amount: amount, success: true, reason: nil, at: nil, dispute: nil)
        ])
        let shop = try Shop()
        let provider = AdyenProvider(
            config: shop.config, transport: shop.adyen, book: AdyenNotificationLog(notices), clock: shop.clock)
        let session = try #require(
            CustomerSession(id: "CS1", data: "x", endsAt: shop.clock.now().adding(.hours(1))))
        return await provider.query(
            QueryRequest(
                context: try AdyenProviderTests.context(), authorizationKey: IdempotencyKey(rawValue: "k-1"),
                amount: AdyenProviderTests.price,
                action: CustomerAction(kind: AdyenProvider.sessionAction, session: session)))
    }

    @Test("only the attempt's own payment counts: in its amount, its currency and the shop's account")
    func identity() async throws {
        guard case .approved(let own) = try await judged(AdyenProviderTests.price), case .authorized = own.standing
        else {
            Issue.record("its own payment does not count")
            return
        }
        for wrong in [
            try await judged(Money(minorUnits: 1251, currency: .eur)),
            try await judged(Money(minorUnits: 1250, currency: .usd)),
            try await judged(AdyenProviderTests.price, account: "OtherShop"),
        ] {
            guard case .unknown = wrong else {
                Issue.record("\(wrong)")
                return
            }
        }
        guard case .approved(let other) = try await judged(AdyenProviderTests.price, reference: "pay_2-a1.now") else {
            Issue.record("another reference hides the session")
            return
        }
        #expect(other.standing == .unconfirmed)
    }

    @Test("a session of another amount, reference or account is not handed out")
    func otherSession() async throws {
        let own: [(String, String)] = [
            ("id", #""CS1""#), ("sessionData", #""x""#), ("reference", #""pay_1-a1.now""#),
            ("amount", #"{"currency":"EUR","value":1250}"#), ("merchantAccount", #""TillTest""#),
        ]
        let config = try Shop().config
        func answer(_ name: String, _ value: String) async throws -> ProviderAnswer<Authorization> {
            let members = own.map { #""\#($0.0)":\#($0.0 == name ? value : $0.1)"# }.joined(separator: ",")
            let provider = AdyenProvider(
                config: config, transport: ScriptedTransport([.json(201, "{\(members)}")]),
                book: AdyenNotificationLog(MemoryAdyenNotifications()), clock: ManualClock())
            return await provider.authorize(
                AuthorizationRequest(
                    context: try AdyenProviderTests.context(), amount: AdyenProviderTests.price,
                    captureMode: .automatic, prepareKey: IdempotencyKey(rawValue: "p-1"),
                    key: IdempotencyKey(rawValue: "k-1")), with: .adyenSession)
        }
        guard case .requiresAction = try await answer("", "") else {
            Issue.record("its own session is not handed out")
            return
        }
        for (name, value) in [
            ("reference", #""pay_2-a1.now""#), ("amount", #"{"currency":"EUR","value":1251}"#),
            ("merchantAccount", #""Other""#), ("id", #""../x""#), ("sessionData", #""""#),
        ] {
            guard case .notSent = try await answer(name, value) else {
                Issue.record("\(name) is not compared")
                return
            }
        }
    }

    @Test("without webhooks nobody would tell of the money: no session is opened")
    func withoutWebhooks() async throws {
        let shop = try Shop(keys: [])
        let id = try await shop.create()
        await #expect(throws: CheckoutError.self) {
            _ = try await shop.checkout.confirm(
                id, account: .main, provider: shop.provider.name, tender: .adyenSession)
        }
        #expect(try await shop.payment(id).attempts.isEmpty)
    }

    @Test("with a live account no session is opened, and nothing is sent")
    func notWithLiveMoney() async throws {
        let shop = try Shop(url: "https://shop-checkout-live.adyenpayments.com/checkout")
        #expect(shop.provider.mode == .live)
        let id = try await shop.create()
        await #expect(throws: CheckoutError.self) {
            _ = try await shop.checkout.confirm(
                id, account: .main, provider: shop.provider.name, tender: .adyenSession)
        }
        #expect(try await shop.payment(id).attempts.isEmpty)
    }

    @Test(
        "a client key is of the mode of the API key, and is never repeated in an error",
        arguments: [
            ("test_ABC123", PaymentMode.test, true), ("live_ABC123", .live, true), ("test_ABC123", .live, false),
            ("live_ABC123", .test, false), ("AQEyhmfx", .test, false), ("test_a b", .test, false),
            ("test_", .test, false),
        ])
    func clientKey(text: String, mode: PaymentMode, isTaken: Bool) throws {
        do throws(AdyenConfigError) {
            let key = try AdyenClientKey(text, in: mode)
            #expect(key.text == text && isTaken)
        } catch {
            #expect(!isTaken && !"\(error)".contains(text))
        }
    }

    @Test("what a session needs is printed nowhere, and a result is escaped in an address")
    func hidden() throws {
        let session = try #require(
            CustomerSession(id: "CS1", data: "for-this-customer", endsAt: Timestamp(milliseconds: 0)))
        let result = try #require(SessionResult("for-this-customer"))
        var dumped = ""
        dump(CustomerAction(kind: "x", session: session), to: &dumped)
        dump(result, to: &dumped)
        for text in ["\(session)", String(reflecting: session), "\(result)", String(reflecting: result), dumped] {
            #expect(!text.contains("for-this-customer"), "\(text)")
        }
        #expect(CustomerSession(id: "a/b", data: "x", endsAt: Timestamp(milliseconds: 0)) == nil)
        #expect(SessionResult("a b") == nil && SessionResult("") == nil)
        #expect(AdyenProvider.escaped("aZ9!+/=&\n") == "aZ9%21%2B%2F%3D%26%0A")
    }
}
