import HTTPTypes
import Synchronization
import Testing
import TillCheckout
import TillCore
import TillSandbox
import TillHardware
import TillJournal
import TillStripe
import TillTestSupport

@testable import TillStandInStripe

/// A reader's word is a hint: what is late, old or not so ends in no payment that the journal does not know.
@Suite("A reader that does not tell the truth", .timeLimit(.minutes(30))) struct TerminalTruthTests {
    let world: TerminalWorld
    let reader: TerminalReader
    let visa: TerminalTestCard

    init() async throws {
        world = try TerminalWorld()
        reader = try await world.register()
        visa = try #require(TerminalTestCard(named: "visa"))
    }

    /// Tells of the reader's action what is not so, from the given look on, so often.
    private func lie(_ status: String, fromQuery: Int = 2, times: Int = 1) {
        world.wire.gossip.withLock { $0 = WireToSandbox.Gossip(status: status, skip: fromQuery - 1, times: times) }
    }

    @Test("it says that it failed while it collects: the sale ends unpaid, and a card that comes later pays nothing")
    func saysFailed() async throws {
        lie("failed")
        let no = try await world.sell(try await world.payment(try world.order()), at: reader)
        #expect(no.status == .declined)
        _ = try? await world.readers.present(visa, at: reader.id, key: world.key("late"))
        #expect(try await world.charges().map(\.authorized) == [0])
        #expect(try await world.charges().map(\.state) == [.voided])
        world.customer(presents: visa, at: reader)
        #expect(try await world.sell(no, at: reader).status == .succeeded)
        #expect(try await world.charges().map(\.captured).reduce(0, +) == 1250)
    }

    @Test("it says that it is done while nothing was charged: the outcome is not known, and then none")
    func saysDone() async throws {
        lie("succeeded")
        let open = try await world.sell(try await world.payment(try world.order()), at: reader)
        #expect(open.status == .unknown || open.status == .requiresPaymentMethod)
        try await world.checkout.query(open.id)
        let end = try await world.checkout.payment(open.id, account: .main)
        #expect(end.captured.isZero)
        #expect(end.status == .requiresPaymentMethod, "voided, so that the order is free")
        _ = try? await world.readers.present(visa, at: reader.id, key: world.key("late"))
        #expect(try await world.charges().map(\.authorized) == [0])
    }

    @Test("it says that it failed though the card was charged: paid")
    func saysFailedThoughPaid() async throws {
        lie("failed", fromQuery: 1, times: 1_000)
        world.customer(presents: visa, at: reader, afterQueries: 2)
        let done = try await world.sell(try await world.payment(try world.order()), at: reader)
        #expect(done.status == .succeeded)
        #expect(try await world.charges().map(\.captured) == [1250])
    }

    @Test("it still shows the no to the last card: the next card is waited for, and pays")
    func showsOldNo() async throws {
        let payment = try await world.payment(try world.order())
        world.customer(presents: try #require(TerminalTestCard(named: "declined:insufficient_funds")), at: reader)
        let no = try await world.sell(payment, at: reader)
        #expect(no.status == .declined)
        world.wire.gossip.withLock { $0 = WireToSandbox.Gossip(status: nil, skip: 1, times: 2) }
        world.customer(presents: visa, at: reader, afterQueries: 6)
        let yes = try await world.sell(no, at: reader)
        #expect(yes.status == .succeeded)
        #expect(try await world.charges().count == 1, "still the one intent")
    }

    @Test("it says that a refund failed while it waits for the card: canceled, and none is made later")
    func refund() async throws {
        let canadian = try await world.register("North", country: "CA")
        let card = try #require(TerminalTestCard(named: "interac"))
        world.customer(presents: card, at: canadian)
        let paid = try await world.sell(try await world.payment(try world.order("o-1", 1250, .cad)), at: canadian)
        world.terminal.feed.useReader(canadian.id, forRefundOf: paid.id)
        lie("failed", fromQuery: 1)
        let no = try await world.checkout.refund(paid.id, account: .main)
        #expect(no.refunds.last?.state.isSucceeded == false)
        _ = try? await world.readers.present(card, at: canadian.id, key: world.key("late"))
        #expect(try await world.charges().map(\.refunded) == [0])
    }

    @Test("it says a word that nobody knows: neither success nor failure, it is waited for")
    func saysAnUnknownWord() async throws {
        lie("paused", fromQuery: 2, times: 3)
        world.customer(presents: visa, at: reader, afterQueries: 6)
        let done = try await world.sell(try await world.payment(try world.order()), at: reader)
        #expect(done.status == .succeeded)
        #expect(try await world.charges().map(\.captured) == [1250])
    }

    @Test("it says that it collects for ever: after two minutes it is canceled, and nothing was charged")
    func saysInProgressForEver() async throws {
        lie("in_progress", fromQuery: 1, times: 100_000)
        let no = try await world.sell(try await world.payment(try world.order()), at: reader)
        guard case .declined(let decline) = no.attempts.last?.state else { throw TerminalSaleTests.Unexpected() }
        #expect(decline.reason == .noCardPresented)
        #expect(try await world.charges().map(\.state) == [.voided])
    }

    @Test("it says that it failed, and the word to end the intent is lost: not unpaid before that is certain")
    func failedAndTheEndIsLost() async throws {
        lie("failed")
        world.wire.plan.withLock { $0.loseRequest = ["/cancel", "/cancel", "/cancel"] }
        let no = try await world.sell(try await world.payment(try world.order()), at: reader)
        _ = try? await world.readers.present(visa, at: reader.id, key: world.key("late"))
        let charge = try #require(try await world.charges().first)
        #expect(no.status != .declined || charge.authorized == 0, "a card that came late was charged")
        #expect(no.captured.minorUnits == charge.captured)
    }

    @Test("the answer to the making of the intent is lost: the next try finds the same one")
    func intentMadeAndNotHeardOf() async throws {
        world.wire.plan.withLock { $0.loseAnswer = ["/payment_intents"] }
        let payment = try await world.payment(try world.order())
        var open = try await world.sell(payment, at: reader)
        for _ in 0..<4 where open.status != .requiresPaymentMethod && open.status != .succeeded {
            try await world.checkout.recover()
            open = try await world.checkout.payment(payment.id, account: .main)
        }
        world.customer(presents: visa, at: reader)
        let done = open.status == .succeeded ? open : try await world.sell(open, at: reader)
        #expect(done.status == .succeeded)
        #expect(try await world.charges().count == 1)
    }

    @Test("Stripe failed to make the intent, and says so again under its key: the next try makes another one, and pays")
    func keptFailure() async throws {
        world.wire.plan.withLock { $0.failForGood = ["/payment_intents"] }
        let payment = try await world.payment(try world.order())
        var open = try await world.sell(payment, at: reader)
        #expect(open.captured.minorUnits == 0)
        for _ in 0..<4 where open.status != .requiresPaymentMethod && open.status != .succeeded {
            try await world.checkout.recover()
            open = try await world.checkout.payment(payment.id, account: .main)
        }
        world.customer(presents: visa, at: reader)
        let done = try await world.sell(open, at: reader)
        #expect(done.status == .succeeded)
        #expect(try await world.charges().map(\.captured).filter { $0 > 0 } == [1250])
    }

    @Test("our key has no right to use readers: surely not done, an alarm, and it goes on when the key is right")
    func rejectedKey() async throws {
        world.wire.plan.withLock { $0.reject = ["/process_payment_intent"] }
        let payment = try await world.payment(try world.order())
        let no = try await world.sell(payment, at: reader)
        #expect(no.captured.minorUnits == 0 && no.attention.contains(.keyRejected), "\(no.status) \(no.attention)")
        world.wire.plan.withLock { $0.reject = [] }
        world.customer(presents: visa, at: reader)
        let done = try await world.sell(no, at: reader)
        #expect(done.status == .succeeded)
    }

    @Test("Stripe holds another amount than was asked for: that is no sale, and nobody charges again meanwhile")
    func anotherAmount() async throws {
        let store = world.stripe.ledger.store
        world.customer { [reader, visa] world in
            _ = try? await world.readers.present(visa, at: reader.id, key: world.key("present"))
            try? await store.transaction { shelf in
                for var charge in try shelf.allCharges() {
                    charge.amount = 900
                    try shelf.put(charge, keys: [])
                }
            }
        }
        let open = try await world.sell(try await world.payment(try world.order()), at: reader)
        #expect(open.status == .unknown)
        #expect(open.captured.isZero)
    }

    @Test("a canceled sale whose process died frees the reader that still waits for its card")
    func strandedReader() async throws {
        let made = try await world.readers.createIntent(
            TerminalIntentDraft(amount: 1250, currency: "eur"), key: world.key("intent"))
        _ = try await world.readers.process(made, at: reader.id, TerminalCollection(), key: world.key("process"))
        let context = AttemptContext(
            account: .main, order: OrderID(rawValue: "o-1"), payment: PaymentID(rawValue: "pay_1"),
            attempt: AttemptID(rawValue: "pay_1-a1"), startedAt: world.clock.now(), reference: made)
        let answer = await world.terminal.void(
            VoidRequest(context: context, authorizationKey: world.key("a"), reason: "test", key: world.key("void")))
        guard case .approved = answer else { throw TerminalSaleTests.Unexpected() }
        #expect(try await world.readers.reader(reader.id).action == nil)
    }

    @Test("Stripe captures once: a second part is refused before anything is written")
    func capturesOnce() async throws {
        world.customer(presents: visa, at: reader)
        let held = try await world.sell(try await world.payment(try world.order(), .manual), at: reader)
        let part = Money(minorUnits: 400, currency: .eur)
        await #expect(throws: CheckoutError.self) {
            _ = try await world.checkout.capture(held.id, account: .main, amount: part, isFinal: false)
        }
        let taken = try await world.checkout.capture(held.id, account: .main, amount: part)
        #expect(taken.captured == part)
        await #expect(throws: CheckoutError.self) {
            _ = try await world.checkout.capture(held.id, account: .main, amount: part)
        }
        #expect(try await world.charges().map(\.captured) == [400])
    }

    @Test("a try after the key's day takes the intent that is there")
    func afterTheWindow() async throws {
        let payment = try await world.payment(try world.order())
        world.customer(presents: try #require(TerminalTestCard(named: "charge_declined")), at: reader)
        let no = try await world.sell(payment, at: reader)
        world.clock.advance(by: .hours(30))
        world.customer(presents: visa, at: reader)
        #expect(try await world.sell(no, at: reader).status == .succeeded)
        #expect(try await world.charges().count == 1)
    }
}

/// Tips, and the network that carried a payment: from the wire to the journal and the receipt.
@Suite("Tips and networks", .timeLimit(.minutes(30))) struct TerminalTipTests {
    let world: TerminalWorld
    let reader: TerminalReader

    init() async throws {
        world = try TerminalWorld()
        reader = try await world.register()
    }

    private func sell(
        _ payment: Payment, tipping: CardPresentPayload.Tipping?, _ card: String = "visa", tip: Int64?
    ) async throws -> Payment {
        world.customer(presents: try #require(TerminalTestCard(named: card, tip: tip)), at: reader)
        return try await world.checkout.confirm(
            payment.id, account: .main, provider: StripeTerminalProvider.name,
            tender: StripeTerminalProvider.tender(reader: reader, tipping: tipping))
    }

    @Test("the customer pays the order and the tip; both are in the books, the journal and the refund's bound")
    func tip() async throws {
        let payment = try await world.payment(try world.order())
        let done = try await sell(payment, tipping: .onWholeAmount, tip: 250)
        #expect(done.status == .succeeded)
        #expect(done.amount.minorUnits == 1250)
        #expect(done.tip?.minorUnits == 250)
        #expect(done.captured.minorUnits == 1500)
        #expect(try await world.charges().map(\.captured) == [1500])
        let read = try #require(try await world.journal.payment(done.id))
        #expect(read.tip?.minorUnits == 250, "after a restart too")
        await #expect(throws: CheckoutError.self) {
            _ = try await world.checkout.refund(
                done.id, account: .main, amount: Money(minorUnits: 1501, currency: .eur))
        }
        let back = try await world.checkout.refund(done.id, account: .main)
        #expect(back.status == .refunded)
        #expect(try await world.charges().map(\.refunded) == [1500])
    }

    @Test("a tip is asked for only where the sale says so, and counts from the part that it names")
    func asked() async throws {
        let plain = try await world.payment(try world.order("o-1"))
        let unasked = try await sell(plain, tipping: nil, tip: 250)
        #expect(unasked.status == .declined, "the reader takes no tip, so that card was not taken")
        let payment = try await world.payment(try world.order("o-2"))
        let part = Money(minorUnits: 1000, currency: .eur)
        #expect(try await sell(payment, tipping: .onPart(part), tip: 100).captured.minorUnits == 1350)
    }

    @Test("a declined card leaves its tip behind: the next one pays the order and its own tip")
    func nextTip() async throws {
        let payment = try await world.payment(try world.order())
        let no = try await sell(payment, tipping: .onWholeAmount, "declined:insufficient_funds", tip: 300)
        #expect(no.status == .declined)
        let yes = try await sell(no, tipping: .onWholeAmount, tip: nil)
        #expect(yes.status == .succeeded)
        #expect(yes.captured.minorUnits == 1250)
        #expect(yes.tip == nil)
        #expect(try await world.charges().map(\.captured).reduce(0, +) == 1250)
    }

    @Test("the answer is lost though the card and its tip were charged: found with the tip, paid once")
    func lost() async throws {
        let payment = try await world.payment(try world.order())
        world.customer(afterQueries: 2) { [reader] world in
            if let card = TerminalTestCard(named: "visa", tip: 200) {
                _ = try? await world.readers.present(card, at: reader.id, key: world.key("tip"))
            }
            world.wire.plan.withLock { $0.isCut = true }
        }
        let open = try await world.checkout.confirm(
            payment.id, account: .main, provider: StripeTerminalProvider.name,
            tender: StripeTerminalProvider.tender(reader: reader, tipping: .onWholeAmount))
        #expect(open.status == .unknown)
        world.wire.plan.withLock { $0.isCut = false }
        try await world.checkout.query(open.id)
        let done = try await world.checkout.payment(open.id, account: .main)
        #expect(done.status == .succeeded)
        #expect(done.tip?.minorUnits == 200)
        #expect(done.captured.minorUnits == 1450)
    }

    @Test(
        "a card with two networks goes over the one that was asked for; both stand in the journal",
        arguments: [
            ("eftpos_au_visa_debit", Currency.aud, "domestic", "visa", "eftpos_au"),
            ("eftpos_au_visa_debit", .aud, "international", "visa", "visa"),
            ("cartes_bancaires_mastercard", .eur, "domestic", "mastercard", "cartes_bancaires"),
            ("cartes_bancaires_visa", .eur, "international", "visa", "visa"),
        ])
    func network(_ card: String, _ currency: Currency, _ priority: String, _ brand: String, _ network: String)
        async throws
    {
        var options = StripeTerminalOptions()
        options.requestedPriority = priority
        let online = try StripeProvider(
            secretKey: Secret(TerminalWorld.key), transport: world.wire, clock: world.clock)
        let checkout = Checkout(
            journal: world.journal, providers: [StripeTerminalProvider(online, options: options)], clock: world.clock)
        let payment = try await checkout.create(
            checkout.draft(account: .main, order: try world.order("o-1", 1250, currency), captureMode: .automatic))
        world.customer(presents: try #require(TerminalTestCard(named: card)), at: reader)
        let done = try await checkout.confirm(
            payment.id, account: .main, provider: StripeTerminalProvider.name,
            tender: StripeTerminalProvider.tender(reader: reader))
        #expect(done.status == .succeeded)
        let kept = try #require(try await world.journal.payment(done.id))
        #expect(kept.tender?.card?.brand == brand)
        #expect(kept.tender?.card?.network == network)
    }

    @Test("less than the least and more than the most is refused before a reader wakes, in the currency's own units")
    func least() async throws {
        for (currency, minor, code) in [
            (Currency.eur, Int64(49), "amount_too_small"), (.gbp, 29, "amount_too_small"),
            (.jpy, 49, "amount_too_small"), (.eur, 100_000_000, "amount_too_large"),
        ] {
            let id = "o-\(currency)-\(minor)"
            let no = try await world.sell(try await world.payment(try world.order(id, minor, currency)), at: reader)
            guard case .declined(let decline) = no.attempts.last?.state else {
                throw TerminalSaleTests.Unexpected()
            }
            #expect(decline.reason == .invalidAmount)
            #expect(decline.code == code)
            #expect(try await world.charges(id).isEmpty)
        }
    }
}
