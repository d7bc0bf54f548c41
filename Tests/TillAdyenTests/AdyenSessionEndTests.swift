import Testing
import TillCheckout
import TillCore
import TillJournal
import TillStandInAdyen
import TillTestSupport
@testable import TillAdyen

/// How a session ends of which no money is known: never on the clock alone, and never against a report.
@Suite("Ends of Adyen's sessions") struct AdyenSessionEndTests {
    private typealias Shop = AdyenSessionShop
    private static let refused = "4000000000000002"

    /// An authorization that Adyen reports of a payment's first attempt, captured at once.
    private static func authorization(
        _ id: PaymentID, _ name: String = "TILLOTHER", units: Int64 = 1250, success: Bool = true
    ) -> AdyenNotification {
        AdyenNotification(
            eventCode: .authorization, pspReference: name, originalReference: nil, merchantReference: "\(id)-a1.now",
            merchantAccount: "TillTest", amount: Money(minorUnits: units, currency: .eur), success: success,
            reason: success ? nil : "2 : Refused", at: nil, dispute: nil)
    }

    // MARK: Sessions that nobody has

    @Test("a session that nobody has does not end the attempt while Adyen's reports cannot be read")
    func unheldAndUnreadable() async throws {
        let notices = UnreadableNotifications()
        let shop = try Shop(notices: notices)
        let id = try await shop.create()
        try await shop.loseAnswer(id)
        await notices.allowReading(false)
        for _ in 0..<3 {
            shop.clock.advance(by: .hours(1))
            try await shop.checkout.recover()
            #expect(try await shop.payment(id).status == .unknown)
        }
        await notices.allowReading(true)
        shop.clock.advance(by: .days(2))
        try await shop.checkout.recover()
        #expect(try await shop.payment(id).attempts.last?.state == .voided)
    }

    @Test("nor while Adyen reports money in another amount")
    func unheldInAnotherAmount() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        try await shop.loseAnswer(id)
        try await shop.book.take([Self.authorization(id, units: 1251)])
        for _ in 0..<3 {
            shop.clock.advance(by: .hours(2))
            try await shop.checkout.recover()
            #expect(try await shop.payment(id).status == .unknown)
        }
    }

    // MARK: Money that is reported late

    private static func isToldLate(_ payment: Payment) -> Bool {
        payment.openAttention.contains { item in
            if case .approvedLate = item.attention { true } else { false }
        }
    }

    @Test("money that Adyen reports of a declined session is counted, or voided, and a person is told")
    func lateAfterDecline() async throws {
        for mode in [CaptureMode.automatic, .manual] {
            let shop = try Shop()
            let id = try await shop.create(mode)
            let session = try await shop.open(id)
            var result = try await shop.browse("pay", session, card: Self.refused)
            for _ in 0..<2 { result = try await shop.browse("pay", session, card: Self.refused) }
            #expect(try await shop.finish(id, result).status == .declined)
            _ = try await shop.browse("settle", session)
            try await shop.hear()
            let payment = try await shop.payment(id)
            #expect(Self.isToldLate(payment))
            guard mode == .manual else {
                #expect(payment.status == .succeeded && payment.captured == AdyenProviderTests.price)
                continue
            }
            try await shop.hear()
            #expect(try await shop.payment(id).attempts.last?.state == .voided)
            #expect(await shop.adyen.ledger().last?["canceled"]?.boolValue == true)
        }
    }

    @Test("a customer who has paid while the payment was being canceled is given the money back")
    func paidWhileCanceled() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        _ = try await shop.checkout.cancel(id, account: .main)
        let result = try await shop.browse("pay", session, webhook: "late")
        #expect(try await shop.finish(id, result).attempts.last?.lastAction?.isFinished == true)
        try await shop.deliver(id)
        #expect(try await shop.payment(id).status == .canceled)
        #expect(await shop.adyen.ledger().last?["canceled"]?.boolValue == true)
    }

    // MARK: The end of an open session

    @Test("a session that was paid while the counter heard nothing is not given up on the clock: the money goes back")
    func paidUnheard() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        _ = try await shop.browse("pay", session, webhook: "late")
        for _ in 0..<3 {
            shop.clock.advance(by: .hours(2))
            try await shop.checkout.recover()
            #expect(try await shop.payment(id).attempts.last?.state != .voided)
        }
        try await shop.hear()
        #expect(try await shop.payment(id).attempts.last?.state == .voided)
        #expect(await shop.adyen.ledger().last?["canceled"]?.boolValue == true)
        // The authorization comes last: there is nothing of it any more.
        #expect(await shop.adyen.deliverDelayed())
        try await shop.hear()
        let payment = try await shop.payment(id)
        #expect(payment.attempts.last?.state == .voided && payment.captured.isZero)
    }

    // MARK: After a restore

    private func restore(_ shop: Shop) async throws {
        let head = ChainHead(sequence: 1, hash: [UInt8](repeating: 0, count: 32))
        let now = shop.clock.now()
        try await Records<RestoreEpoch>(shop.journal).put(
            RestoreEpoch(number: 2, at: now, source: "b", head: head, newest: now))
    }

    @Test("after a restore a session of before is not given up: its report may be lost, and a person is told")
    func restored() async throws {
        for isHeld in [true, false] {
            let shop = try Shop()
            let id = try await shop.create()
            if isHeld { _ = try await shop.open(id) } else { try await shop.loseAnswer(id) }
            try await restore(shop)
            for _ in 0..<6 {
                shop.clock.advance(by: .days(1))
                try await shop.checkout.recover()
                try await shop.hear()
                #expect(try await shop.payment(id).attempts.last?.isUndecided == true, "\(isHeld)")
            }
            let payment = try await shop.payment(id)
            let item = try #require(payment.openAttention.last)
            // A person closes the entry. Nothing that a person says ends the attempt.
            let kinds = payment.possibleResolutions(of: item.number).map(\.kind)
            #expect(kinds.contains(.handled) && !kinds.contains(.capturedElsewhere), "\(isHeld)")
        }
    }

    // MARK: Its end

    @Test("a session ends at Adyen's own time if that is later, and is not handed out with one that cannot be its end")
    func laterEnd() async throws {
        let config = try Shop().config
        let asked = Timestamp(milliseconds: 0).adding(AdyenProvider.sessionLife)
        let rows: [(said: String, endsAt: Timestamp?)] = [
            (#""1970-01-01T01:00:00Z""#, asked), (#""1970-01-01T00:30:00Z""#, asked),
            (#""1970-01-01T03:00:00+01:00""#, asked.adding(.hours(1))), (#""1970-01-03T00:00:00Z""#, nil),
            (#""soon""#, nil), ("60", nil),
        ]
        for row in rows {
            let answer = #"{"id":"CS1","sessionData":"x","reference":"pay_1-a1.now","expiresAt":\#(row.said)}"#
            let provider = AdyenProvider(
                config: config, transport: ScriptedTransport([.json(201, answer)]),
                book: AdyenNotificationLog(MemoryAdyenNotifications()), clock: ManualClock())
            let opened = await provider.authorize(
                AuthorizationRequest(
                    context: try AdyenProviderTests.context(), amount: AdyenProviderTests.price,
                    captureMode: .automatic, prepareKey: IdempotencyKey(rawValue: "p-1"),
                    key: IdempotencyKey(rawValue: "k-1")), with: .adyenSession)
            switch opened {
            case .requiresAction(let action): #expect(action.session?.endsAt == row.endsAt, "\(row.said)")
            case .notSent: #expect(row.endsAt == nil, "\(row.said)")
            case .approved, .declined, .stored, .keyRejected, .unknown: Issue.record("\(row.said): \(opened)")
            }
        }
    }

    @Test(
        "a second payment of the same session is not counted, and a person is told its name", arguments: [true, false])
    func paidTwice(isHeardBetween: Bool) async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        _ = try await shop.browse("pay", session)
        if isHeardBetween {
            try await shop.hear()
            #expect(try await shop.payment(id).openAttention.isEmpty)
        }
        _ = try await shop.browse("settle", session)
        try await shop.hear()
        let payment = try await shop.payment(id)
        #expect(payment.status == .succeeded && payment.captured == AdyenProviderTests.price)
        let second = try #require(await shop.adyen.ledger().last?["id"]?.stringValue)
        #expect(payment.openAttention.map(\.attention.sentence).contains { $0.contains(second) })
    }

    @Test("a finished session whose payment is refused after all ends once its time is over, and the order can be paid")
    func refusedAfterAll() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        let result = try await shop.browse("wait", session)
        #expect(try await shop.finish(id, result).status == .unknown)
        _ = try await shop.browse("refuse", session)
        try await shop.hear()
        #expect(try await shop.payment(id).status == .unknown)
        shop.clock.advance(by: .hours(2))
        try await shop.checkout.recover()
        #expect(try await shop.payment(id).attempts.last?.isUndecided == true)
        try await shop.hear()
        #expect(try await shop.payment(id).attempts.last?.state == .voided)
        _ = try await shop.browse("pay", try await shop.open(id))
        try await shop.hear()
        #expect(try await shop.payment(id).status == .succeeded)
        #expect(await shop.taken() == 1250)
    }

    @Test("a finished session that is canceled before its payment is found is canceled once more at its end")
    func canceledWhilePending() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        let result = try await shop.browse("wait", session)
        _ = try await shop.checkout.cancel(id, account: .main)
        _ = try await shop.finish(id, result)
        try await shop.hear()
        #expect(try await shop.payment(id).attempts.last?.isUndecided == true)
        _ = try await shop.browse("settle", session, webhook: "late")
        shop.clock.advance(by: .days(1))
        try await shop.checkout.recover()
        try await shop.hear()
        #expect(try await shop.payment(id).status == .canceled)
        #expect(await shop.adyen.ledger().last?["canceled"]?.boolValue == true)
    }

    @Test("results of one session that come in quick succession ask Adyen once")
    func resultsInSuccession() async throws {
        let shop = try Shop()
        let id = try await shop.create()
        let session = try await shop.open(id)
        func finish(_ result: SessionResult) async throws -> PaymentStatus {
            try await shop.checkout.finishSession(
                id, account: .main, result: result, ifNotWithin: Checkout.sessionResultInterval
            ).status
        }
        let left = try await shop.browse("leave", session)
        #expect(try await finish(left) == .requiresAction)
        let paid = try await shop.browse("pay", session, webhook: "late")
        #expect(try await finish(paid) == .requiresAction)
        shop.clock.advance(by: Checkout.sessionResultInterval)
        #expect(try await finish(paid) == .unknown)
    }
}
