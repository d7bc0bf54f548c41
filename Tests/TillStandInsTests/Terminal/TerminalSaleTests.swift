import Synchronization
import Testing
import TillCheckout
import TillCore
import TillSandbox
import TillHardware
import TillJournal
import TillProvider
import TillStripe
import TillTestSupport

@testable import TillStandInStripe

/// The in-person sale over the engine: whatever happens to people, readers and answers, an order is paid once or not
/// at all, and has one payment intent.
@Suite("Sale at a reader", .timeLimit(.minutes(30))) struct TerminalSaleTests {
    static let visa = TerminalTestCard(named: "visa")
    let world: TerminalWorld
    let reader: TerminalReader
    let visa: TerminalTestCard

    init() async throws {
        world = try TerminalWorld()
        reader = try await world.register()
        visa = try #require(TerminalTestCard(named: "visa"))
    }

    @Test("a card is presented: held, captured, and the receipt has what the chip said")
    func approved() async throws {
        world.customer(presents: visa, at: reader)
        let done = try await world.sell(try await world.payment(try world.order()), at: reader)
        #expect(done.status == .succeeded)
        #expect(done.captured.minorUnits == 1250)
        #expect(done.tender?.card?.lastFour == "4242")
        #expect(done.tender?.card?.emv?.dedicatedFileName == "A0000000031010")
        #expect(done.tender?.reader == "Front")
        let charges = try await world.charges()
        #expect(charges.map(\.captured) == [1250])
    }

    @Test("the intent is in the journal before the reader is told anything")
    func writtenFirst() async throws {
        let payment = try await world.payment(try world.order())
        world.wire.plan.withLock { $0.loseRequest = ["/process_payment_intent"] }
        _ = try await world.sell(payment, at: reader)
        let names = try await world.journal.events(of: payment.id).map(\.record.event.name)
        #expect(names.prefix(3) == ["payment.created", "attempt.started", "attempt.prepared"])
        let lines = world.wire.lines.withLock { $0 }
        let made = lines.firstIndex(of: "POST /v1/payment_intents")
        let told = lines.firstIndex { $0.hasSuffix("/process_payment_intent") }
        #expect(try #require(made) < #require(told))
    }

    @Test("what a person sees: waiting, card, processing, remove, approved")
    func steps() async throws {
        world.stripe.terminal?.state.withLock { $0.cardTime = .milliseconds(1) }
        let steps = world.terminal.feed.steps()
        let payment = try await world.payment(try world.order())
        world.customer(presents: visa, at: reader)
        _ = try await world.sell(payment, at: reader)
        var seen: [CardReaderEventType] = []
        for await step in steps {
            seen.append(step.event.type)
            if step.event.type == .approved { break }
        }
        #expect(seen.first == .waitingForInput)
        #expect(seen.suffix(2) == [.removeCard, .approved])
    }

    @Test(
        "a decline charges nothing, tells a neutral sentence, and the next card pays on the same intent",
        arguments: [
            ("declined:insufficient_funds", DeclineReason.insufficientFunds), ("declined:lost_card", .fraud),
            ("declined:stolen_card", .fraud), ("declined:expired_card", .expiredCard), ("charge_declined", .generic),
        ])
    func declined(_ card: String, _ reason: DeclineReason) async throws {
        let payment = try await world.payment(try world.order())
        world.customer(presents: try #require(TerminalTestCard(named: card)), at: reader)
        let no = try await world.sell(payment, at: reader)
        #expect(no.status == .declined)
        guard case .declined(let decline) = no.attempts.last?.state else { throw Unexpected() }
        #expect(decline.reason == reason)
        #expect(!decline.reason.customerSentence.contains("stolen"))
        world.customer(presents: visa, at: reader)
        let yes = try await world.sell(no, at: reader)
        #expect(yes.status == .succeeded)
        let charges = try await world.charges()
        #expect(charges.count == 1, "one intent for one order")
        #expect(charges.first?.captured == 1250)
    }

    @Test("the customer calls it off; another way to pay is free at once")
    func customerCancels() async throws {
        let payment = try await world.payment(try world.order())
        world.customer { [reader] world in _ = try? world.act("customer_cancel", reader) }
        let no = try await world.sell(payment, at: reader)
        guard case .declined(let decline) = no.attempts.last?.state else { throw Unexpected() }
        #expect(decline.reason == .canceledAtReader)
        #expect(decline.code == "customer_canceled")
        let cash = try await world.checkout.confirm(
            no.id, account: .main, provider: .cash, tender: .cash(tendered: nil))
        #expect(cash.status == .succeeded)
        #expect(try await world.charges().map(\.authorized) == [0])
    }

    @Test("the shop calls it off while the reader waits; while the card is charged it cannot")
    func shopCancels() async throws {
        let payment = try await world.payment(try world.order())
        world.customer { [reader] world in
            _ = try? await world.readers.cancelAction(at: reader.id, key: world.key("off"))
        }
        let no = try await world.sell(payment, at: reader)
        guard case .declined(let decline) = no.attempts.last?.state else { throw Unexpected() }
        #expect(decline.reason == .canceledAtReader)
        // A card that comes now meets a reader that wants none.
        await #expect(throws: StripeTerminalError.self) {
            _ = try await world.readers.present(visa, at: reader.id, key: world.key("late"))
        }
        #expect(try await world.charges().map(\.authorized) == [0])
    }

    @Test("nobody comes: the reader is canceled after two minutes, and nothing was charged")
    func nobody() async throws {
        let no = try await world.sell(try await world.payment(try world.order()), at: reader)
        guard case .declined(let decline) = no.attempts.last?.state else { throw Unexpected() }
        #expect(decline.reason == .noCardPresented)
        #expect(try await world.readers.reader(reader.id).action?.status != .inProgress)
    }

    @Test(
        "the answer to the command is lost though it was done: the customer pays once",
        arguments: [false, true])
    func answerLost(_ byReader: Bool) async throws {
        if byReader {
            try world.act("fault", reader, [JSONMember(key: "fault", value: .string("timeout_after"))])
        } else {
            world.wire.plan.withLock { $0.loseAnswer = ["/process_payment_intent"] }
        }
        world.customer(presents: visa, at: reader, afterQueries: 3)
        let done = try await world.sell(try await world.payment(try world.order()), at: reader)
        #expect(done.status == .succeeded)
        #expect(try await world.charges().map(\.captured) == [1250])
    }

    @Test(
        "the command never arrives: unknown, then voided at Stripe, so that a late card charges nothing",
        arguments: ["timeout_before", "lost", ""])
    func commandLost(_ fault: String) async throws {
        if fault.isEmpty {
            world.wire.plan.withLock { $0.loseRequest = ["/process_payment_intent"] }
        } else {
            try world.act("fault", reader, [JSONMember(key: "fault", value: .string(fault))])
        }
        let payment = try await world.payment(try world.order())
        var open = try await world.sell(payment, at: reader)
        for _ in 0..<4 where open.status != .requiresPaymentMethod {
            try await world.checkout.recover()
            open = try await world.checkout.payment(payment.id, account: .main)
        }
        #expect(open.moneyMoved == .no)
        if fault != "lost" { #expect(try await world.charges().first?.state == .voided) }
        world.customer(presents: visa, at: reader, afterQueries: 3)
        let done = try await world.sell(open, at: reader)
        #expect(done.status == .succeeded)
        #expect(try await world.charges().map(\.captured).reduce(0, +) == 1250)
    }

    @Test(
        "the line is cut after the command, the customer pays, and the till finds out later", arguments: [true, false])
    func cutOff(_ pays: Bool) async throws {
        let payment = try await world.payment(try world.order())
        world.customer(afterQueries: 2) { [reader, visa] world in
            if pays {
                _ = try? await world.readers.present(visa, at: reader.id, key: world.key("p"))
            }
            world.wire.plan.withLock { $0.isCut = true }
        }
        let open = try await world.sell(payment, at: reader)
        #expect(open.status == .unknown)
        #expect(open.moneyMoved == .unknown)
        await #expect(throws: CheckoutError.self) { _ = try await world.sell(open, at: reader) }
        world.wire.plan.withLock { $0.isCut = false }
        for _ in 0..<6 {
            world.clock.advance(by: .minutes(6))
            try await world.checkout.recover()
        }
        let after = try await world.checkout.payment(payment.id, account: .main)
        #expect(after.status == (pays ? .succeeded : .requiresPaymentMethod))
        #expect(try await world.charges().map(\.captured).reduce(0, +) == (pays ? 1250 : 0))
        if !pays { #expect(try await world.charges().first?.state == .voided) }
    }

    @Test("a reader that is busy with another sale is left alone")
    func busy() async throws {
        let other = try await world.payment(try world.order("o-2", 900))
        let first = try await world.payment(try world.order())
        world.customer(afterQueries: 3) { [reader, visa] world in
            let refused = try? await world.sell(other, at: reader)
            #expect(refused?.status == .declined)
            _ = try? await world.readers.present(visa, at: reader.id, key: world.key("p"))
        }
        let done = try await world.sell(first, at: reader)
        #expect(done.status == .succeeded)
        #expect(try await world.charges("o-2").map(\.authorized) == [0])
    }

    @Test("another program takes the reader's slot: this sale ends unpaid, and a card pays the other one only")
    func overwritten() async throws {
        var draft = TerminalIntentDraft(amount: 777, currency: "eur")
        draft.metadata = ["till_order": "foreign"]
        let foreign = try await world.readers.createIntent(draft, key: world.key("foreign"))
        world.customer(afterQueries: 3) { [reader, visa] world in
            _ = try? await world.readers.process(
                foreign, at: reader.id, TerminalCollection(), key: world.key("foreign-process"))
            _ = try? await world.readers.present(visa, at: reader.id, key: world.key("foreign-card"))
        }
        let no = try await world.sell(try await world.payment(try world.order()), at: reader)
        #expect(no.status == .declined)
        #expect(try await world.charges().map(\.authorized) == [0])
        #expect(try await world.charges("foreign").map(\.authorized) == [777])
    }

    @Test("an offline reader, a restarting one, one with a fault: refused, nothing charged, and it works afterwards")
    func unreachable() async throws {
        let payment = try await world.payment(try world.order())
        for word in ["offline", "reboot", "fault"] {
            try world.act(word, reader, [JSONMember(key: "fault", value: .string("hardware"))])
            let no = try await world.sell(payment, at: reader)
            guard case .declined(let decline) = no.attempts.last?.state else { throw Unexpected() }
            #expect(decline.reason == (word == "fault" ? .readerFault : .readerOffline), "\(word)")
            #expect(decline.reason.isWithoutCard && decline.reason.nextStep != nil)
            try world.act("online", reader)
        }
        world.customer(presents: visa, at: reader)
        #expect(try await world.sell(payment, at: reader).status == .succeeded)
        #expect(try await world.charges().count == 1)
    }

    @Test("a payment that is canceled while the reader waits is never charged")
    func canceledMeanwhile() async throws {
        let payment = try await world.payment(try world.order())
        world.customer(afterQueries: 2) { [reader, visa] world in
            _ = try? await world.checkout.cancel(payment.id, account: .main)
            _ = try? await world.readers.present(visa, at: reader.id, key: world.key("p"))
        }
        let done = try await world.sell(payment, at: reader)
        #expect(done.captured.isZero)
        for _ in 0..<3 { try await world.checkout.recover() }
        let after = try await world.checkout.payment(payment.id, account: .main)
        #expect(after.status == .canceled)
        #expect(try await world.charges().map(\.captured) == [0])
        #expect(try await world.charges().first?.state == .voided)
    }

    @Test("a reader of another account is unknown, and so is an intent of another account")
    func otherAccount() async throws {
        let online = try StripeProvider(
            secretKey: Secret("sk_test_other"), transport: world.wire, clock: world.clock)
        let other = StripeTerminal(online)
        #expect(try await other.readers().isEmpty)
        await #expect(throws: StripeTerminalError.self) { _ = try await other.reader(reader.id) }
        let theirs = try await other.register(
            code: "simulated-s700", label: "Theirs", location: nil, key: world.key("x"))
        let mine = try await world.readers.createIntent(
            TerminalIntentDraft(amount: 500, currency: "eur"), key: world.key("mine"))
        await #expect(throws: StripeTerminalError.self) {
            _ = try await other.process(mine, at: theirs.id, TerminalCollection(), key: world.key("steal"))
        }
    }

    @Test("a hold that is captured later ends after two days, with extended authorization later")
    func holds() async throws {
        world.customer(presents: visa, at: reader)
        let held = try await world.sell(try await world.payment(try world.order(), .manual), at: reader)
        #expect(held.status == .requiresCapture)
        let end = try #require(held.currentAttempt?.authorization?.captureBefore)
        #expect(end.since(world.clock.now()) <= .days(2))
        let taken = try await world.checkout.capture(held.id, account: .main)
        #expect(taken.status == .succeeded)
    }

    struct Unexpected: Error {}
}

@Suite("Interac at a reader", .timeLimit(.minutes(30))) struct InteracTests {
    let world: TerminalWorld
    let reader: TerminalReader
    let card: TerminalTestCard

    init() async throws {
        world = try TerminalWorld()
        reader = try await world.register(country: "CA")
        card = try #require(TerminalTestCard(named: "interac"))
    }

    private func paid() async throws -> Payment {
        world.customer(presents: card, at: reader)
        return try await world.sell(try await world.payment(try world.order("o-1", 1250, .cad)), at: reader)
    }

    @Test("the money is taken when it is confirmed: there is nothing to capture")
    func captured() async throws {
        let done = try await paid()
        #expect(done.status == .succeeded)
        #expect(done.tender?.card?.brand == "interac")
        #expect(!world.wire.lines.withLock { $0.contains { $0.hasSuffix("/capture") } })
        #expect(try await world.charges().map(\.captured) == [1250])
    }

    @Test("a refund without a reader is refused; with card and reader it is made once")
    func refund() async throws {
        let done = try await paid()
        let refused = try await world.checkout.refund(
            done.id, account: .main, amount: Money(minorUnits: 500, currency: .cad))
        guard case .refused(let decline) = try #require(refused.refunds.last).state else {
            throw TerminalSaleTests.Unexpected()
        }
        #expect(decline.reason == .refundNeedsReader)
        #expect(try await world.charges().map(\.refunded) == [0])
        world.terminal.feed.useReader(reader.id, forRefundOf: done.id)
        world.customer(presents: card, at: reader)
        let back = try await world.checkout.refund(
            done.id, account: .main, amount: Money(minorUnits: 500, currency: .cad))
        #expect(back.refunds.last?.state.isSucceeded == true)
        #expect(try await world.charges().map(\.refunded) == [500])
    }

    @Test("another card than the one that paid gets nothing back; calling it off gives nothing back")
    func wrongCard() async throws {
        let done = try await paid()
        world.terminal.feed.useReader(reader.id, forRefundOf: done.id)
        world.customer(presents: try #require(TerminalTestCard(named: "visa")), at: reader)
        let wrong = try await world.checkout.refund(done.id, account: .main)
        guard case .refused(let decline) = try #require(wrong.refunds.last).state else {
            throw TerminalSaleTests.Unexpected()
        }
        #expect(decline.reason.refundSentence.contains("Present the card that paid."))
        world.customer(afterQueries: 2) { [reader] world in _ = try? world.act("customer_cancel", reader) }
        let no = try await world.checkout.refund(done.id, account: .main)
        #expect(no.refunds.last?.state.isSucceeded == false)
        #expect(try await world.charges().map(\.refunded) == [0])
    }

    @Test("the answer to a refund is lost though it was made: it is found, not made again")
    func lost() async throws {
        let done = try await paid()
        world.terminal.feed.useReader(reader.id, forRefundOf: done.id)
        world.wire.plan.withLock { $0.loseAnswer = ["/refund_payment"] }
        world.customer(presents: card, at: reader)
        let back = try await world.checkout.refund(done.id, account: .main)
        #expect(back.refunds.last?.state.isSucceeded == true)
        #expect(try await world.charges().first?.refunds.count == 1)
    }

    @Test("a refund that was made and not heard of is found when its key is forgotten, and not made again")
    func foundAfterTheWindow() async throws {
        let done = try await paid()
        let part = Money(minorUnits: 500, currency: .cad)
        world.terminal.feed.useReader(reader.id, forRefundOf: done.id)
        world.customer(afterQueries: 1) { [reader, card] world in
            _ = try? await world.readers.present(card, at: reader.id, key: world.key("present"))
            world.wire.plan.withLock { $0.isCut = true }
        }
        let open = try await world.checkout.refund(done.id, account: .main, amount: part)
        #expect(open.refunds.last?.state.isOpen == true)
        world.wire.plan.withLock { $0.isCut = false }
        world.clock.advance(by: .hours(30))
        world.customer(presents: card, at: reader)
        for _ in 0..<4 { try await world.checkout.query(done.id) }
        let found = try await world.checkout.payment(done.id, account: .main)
        #expect(found.refunds.last?.state.isSucceeded == true)
        #expect(try await world.charges().map(\.refunded) == [500])
    }

    /// What a till asks for that gives a part of a payment back.
    private func fiveDollars(backOf done: Payment) throws -> RefundRequest {
        let attempt = try #require(done.currentAttempt ?? done.attempts.last)
        return RefundRequest(
            context: AttemptContext(
                account: .main, order: done.order.id, payment: done.id, attempt: attempt.id,
                startedAt: attempt.startedAt, reference: attempt.reference),
            refund: RefundID(rawValue: "\(done.id)-r1"), amount: Money(minorUnits: 500, currency: .cad), reason: nil,
            key: world.key("refund"))
    }

    /// A till that knows nothing of what an earlier one did.
    private func nextTill() throws -> StripeTerminalProvider {
        StripeTerminalProvider(
            try StripeProvider(secretKey: Secret(TerminalWorld.key), transport: world.wire, clock: world.clock))
    }

    @Test("a refund that was made before the till died is told by the next one, which knows of no reader for it")
    func foundByTheNext() async throws {
        let done = try await paid()
        let request = try fiveDollars(backOf: done)
        world.terminal.feed.useReader(reader.id, forRefundOf: done.id)
        world.customer(presents: card, at: reader)
        guard case .approved(let made) = await world.terminal.refund(request) else {
            Issue.record("the card was there")
            return
        }
        guard case .approved(let found) = try await nextTill().refund(request) else {
            Issue.record("money went back, and the next till says that it did not")
            return
        }
        #expect(found.reference == made.reference)
        #expect(try await world.charges().map(\.refunded) == [500])
    }

    @Test("a refund whose command may still be on its way to a reader is not told as refused; later it is")
    func commandOnItsWay() async throws {
        let done = try await paid()
        var request = try fiveDollars(backOf: done)
        // The first ask of all: nothing was sent before.
        guard case .declined = await (try nextTill()).refund(request) else {
            Issue.record("nothing was sent before")
            return
        }
        // However long ago it was asked for first: the till that died may have sent it right before its death.
        world.clock.advance(by: .minutes(30))
        request.mayHaveBeenSent = true
        let next = try nextTill()
        for wait in [Span.seconds(0), .minutes(4)] {
            world.clock.advance(by: wait)
            guard case .notSent = await next.refund(request) else {
                Issue.record("a till that died may have sent it a moment ago")
                return
            }
        }
        world.clock.advance(by: .minutes(1))
        guard case .declined(let decline) = await next.refund(request) else {
            Issue.record("nothing can come any more")
            return
        }
        #expect(decline.reason == .refundNeedsReader)
    }

    @Test("what this till has sent itself may come for five minutes from then")
    func ownCommand() async throws {
        let done = try await paid()
        var request = try fiveDollars(backOf: done)
        request.mayHaveBeenSent = true
        let feed = TerminalFeed()
        let first = feed.lastCommand(for: request.refund, at: world.clock.now())
        world.clock.advance(by: .minutes(3))
        feed.sends(request.refund, at: world.clock.now())
        #expect(feed.lastCommand(for: request.refund, at: world.clock.now()) == first.adding(.minutes(3)))
        // More than are remembered: the oldest is forgotten, and counts as heard of just now.
        for number in 0..<TerminalFeed.maximumRefunds {
            world.clock.advance(by: .milliseconds(1))
            _ = feed.lastCommand(for: RefundID(rawValue: "other-\(number)"), at: world.clock.now())
        }
        #expect(feed.lastCommand(for: request.refund, at: world.clock.now()) == world.clock.now())
        world.terminal.feed.useReader(reader.id, forRefundOf: done.id)
        let before = world.clock.now()
        world.customer(afterQueries: 2) { [reader] world in _ = try? world.act("customer_cancel", reader) }
        _ = await world.terminal.refund(request)
        let sent = world.terminal.feed.lastCommand(for: request.refund, at: world.clock.now().adding(.hours(1)))
        #expect(sent >= before && sent <= world.clock.now())
    }
}
