import Testing
import TillCore
@testable import TillFeatureDay
import TillJournal
import TillTestSupport

/// What a day says when money or its record is not as it should be.
@Suite("The care of a day")
struct DayCareTests {
    private let world = DayWorld()

    private func open(
        _ float: Int64, in currency: Currency = .eur, _ book: DayBook
    ) async throws -> DayBook.Standing {
        try await book.open(.init(total: float), in: currency, of: .main)
    }

    private func count(_ cash: Int64, _ book: DayBook) async throws {
        _ = try await book.count(.init(total: cash), of: .main)
    }

    @Test("A day is closed over payments that cannot be read with a reason only")
    func unreadable() async throws {
        let book = world.book()
        _ = try await open(0, book)
        let sold = try await world.sell(1_000, .card)
        // More is given back than was taken: what is known of the payment contradicts itself.
        _ = try await world.refund(2_000, of: sold)
        try await count(0, book)
        let standing = try #require(try await book.day(of: .main).session)
        let shown = try JSONValue(parsing: DayJSON.session(standing, seesTotals: false))
        #expect(shown["unreadable"]?.int64Value == 1)
        await #expect(throws: DayError.unreadableNeedReason) { try await book.close(of: .main) }
        let closed = try await book.close(reason: "looked at", of: .main)
        #expect(closed.report.figures.unreadable == [sold] && closed.report.closing?.reason == "looked at")
    }

    @Test("After a restore the journal's epoch tells reports with one number apart")
    func epochs() async throws {
        let book = world.book()
        _ = try await open(0, book)
        try await count(0, book)
        let first = try await book.close(of: .main).report
        #expect(first.epoch == 1)
        let head = ChainHead(sequence: 1, hash: [UInt8](repeating: 0, count: 32))
        let now = world.clock.now()
        let restored = RestoreEpoch(number: 2, at: now, source: "b", head: head, newest: now)
        _ = try await open(0, book)
        try await Records<RestoreEpoch>(world.till).put(restored)
        try await count(0, book)
        let second = try await book.close(of: .main).report
        #expect(second.session.epoch == 1 && second.epoch == 2)
        let kept = try await book.report(2, of: .main)
        #expect(kept.report == second)
        #expect(try JSONValue(parsing: DayJSON.report(kept, seesTotals: true))["epoch"]?.int64Value == 2)
        #expect(try await open(0, book).session.epoch == 2)
    }

    @Test("A session that was kept before epochs were is of the first")
    func before() throws {
        let text = """
            {"account":"main","number":3,"state":"open","currency":"EUR","opened_at":1,"opened_by":"Ann",
            "float":{"total":5,"counts":null},"opening_difference":0,"first_sequence":1,"opened_sequence":2,
            "before":{"lines":[{"currency":"EUR","tender":"cash","provider":"cash","count":1,"captured":7,
            "refund_count":0,"refunded":0,"tips":0}],"unreadable":[]},
            "paid_in":0,"paid_out":0,"bank_drops":0,"movements":0,"counts":[]}
            """
        let session = try #require(DrawerSession(json: try JSONValue(parsing: Array(text.utf8))))
        #expect(session.epoch == 1 && session.before.sum(of: .eur).net == 7)
    }

    @Test("Cash for a refund that a provider did not make comes out of the drawer, by its payment")
    func refunds() async throws {
        let book = world.book()
        _ = try await open(5_000, book)
        let sold = try await world.sell(1_000, .card)
        let given = try await book.move(
            .init(.refund, amount: 800, reason: "card closed", payment: sold), key: "1", of: .main)
        #expect(given.report.expected == 4_200 && given.session.refundsPaid == 800 && given.session.paidOut == 0)
        #expect(given.movements.map(\.request.payment) == [sold])
        let strange = try await world.sell(1_000, .card, of: AccountID(rawValue: "other"))
        let foreign = try await world.sell(1_000, .card, in: .chf)
        for payment in [strange, foreign, PaymentID(rawValue: "pay_none")] {
            await #expect(throws: DayError.unknownPayment) {
                try await book.move(.init(.refund, amount: 1, reason: "x", payment: payment), key: "2", of: .main)
            }
        }
        try await count(4_200, book)
        let closed = try await book.close(of: .main)
        #expect(closed.report.difference == 0)
        #expect(try await book.report(1, of: .main).report == closed.report)
    }

    @Test("Cash that goes while a day is in another currency is a difference of the next opening in its own")
    func currencies() async throws {
        let book = world.book()
        _ = try await open(10_000, book)
        try await count(10_000, book)
        _ = try await book.close(of: .main)
        #expect(try await open(3_000, in: .chf, book).session.openingDifference == 0)
        try await world.sell(200)
        try await count(3_000, book)
        let beside = try await book.close(of: .main)
        #expect(beside.report.kept == [.eur: 10_200, .chf: 3_000])
        #expect(try await book.report(2, of: .main).report == beside.report)
        try await world.sell(50)
        let opened = try await open(9_800, book)
        #expect(opened.session.openingDifference == 9_800 - 10_250)
    }

    @Test("A float that differs beyond the limit needs a reason, one at the limit none")
    func openings() async throws {
        let book = world.book(limit: 500)
        _ = try await open(10_000, book)
        try await count(10_000, book)
        _ = try await book.close(of: .main)
        for float: Int64 in [9_499, 10_501] {
            await #expect(throws: DayError.openingNeedsReason) { try await self.open(float, book) }
        }
        let opened = try await book.open(.init(total: 9_499), in: .eur, of: .main, reason: "change fetched")
        #expect(opened.session.openingDifference == -501 && opened.session.openingReason == "change fetched")
        let shown = try JSONValue(parsing: DayJSON.session(opened, seesTotals: true))
        #expect(shown["opening_reason"]?.stringValue == "change fetched")
        try await count(9_499, book)
        let closed = try await book.close(of: .main)
        #expect(try await book.report(2, of: .main).report == closed.report)
        #expect(try await open(9_999, book).session.openingReason == nil)
    }

    @Test("An entry of an earlier day is not recorded in the drawer of another")
    func late() async throws {
        let book = world.book()
        let first = try await open(1_000, book)
        try await count(1_000, book)
        _ = try await book.close(of: .main)
        let second = try await open(1_000, book)
        let request = CashMovement.Request(.paidIn, amount: 100, reason: "coins")
        await #expect(throws: DayError.drawerChanged) {
            try await book.move(request, key: "1", of: .main, seen: .init(session: first.session.id))
        }
        let moved = try await book.move(request, key: "1", of: .main, seen: .init(session: second.session.id))
        #expect(moved.report.expected == 1_100)
        // What was recorded is known by its key, whatever day it is.
        let again = try await book.move(request, key: "1", of: .main, seen: .init(session: first.session.id))
        #expect(again.report.expected == 1_100)
    }

    @Test("What was decided on another count, or of another day, is not done")
    func seen() async throws {
        let book = world.book()
        let opened = DayBook.Seen(try await open(1_000, book).session)
        let counted = DayBook.Seen(try await book.count(.init(total: 1_000), of: .main, seen: opened).session)
        await #expect(throws: DayError.drawerChanged) {
            try await book.count(.init(total: 900), of: .main, seen: opened)
        }
        await #expect(throws: DayError.drawerChanged) { try await book.close(of: .main, seen: opened) }
        await #expect(throws: DayError.drawerChanged) { try await book.resume(.main, seen: opened) }
        _ = try await book.close(of: .main, seen: counted)
        _ = try await open(1_000, book)
        try await count(1_000, book)
        await #expect(throws: DayError.drawerChanged) { try await book.close(of: .main, seen: counted) }
        _ = try await book.close(of: .main, seen: .init(session: "day_2", counts: 1))
    }

    @Test("Who counts blind does not learn what is expected from a refusal")
    func probes() async throws {
        let book = world.book()
        _ = try await open(1_000, book)
        let request = CashMovement.Request(.paidOut, amount: 1_001, reason: "milk")
        await #expect(throws: DayError.drawerHasLess) { try await book.move(request, key: "1", of: .main) }
        let moved = try await book.move(request, key: "1", of: .main, isBlind: true)
        #expect(moved.report.expected == -1)
        try await count(0, book)
        #expect(try await book.close(of: .main).report.difference == 1)
    }

    @Test("A dispute stands beside the refunds, and a refund that turns out to be its money does not raise the net")
    func disputes() async throws {
        let book = world.book()
        _ = try await open(0, book)
        let sold = try await world.sell(5_000, .card)
        let refund = try await world.refund(5_000, of: sold)
        try await count(0, book)
        let first = try await book.close(of: .main).report
        #expect(first.figures.sum(of: .eur).net == 0)
        _ = try await open(0, book)
        let reference = ProviderReference(rawValue: "dp-1")
        let money = Money(minorUnits: 5_000, currency: .eur)
        let facts = Dispute.Facts(reference: reference, reason: "fraud", stage: "chargeback", amount: money)
        try await world.fail(refund, of: sold)
        try await world.append(
            [.disputeOpened(DayWorld.attempt(of: sold), facts), .disputeFundsWithdrawn(reference, money)], to: sold)
        try await count(0, book)
        let second = try await book.close(of: .main).report
        let sum = second.figures.sum(of: .eur)
        #expect(sum.refunded == -5_000 && sum.disputed == 5_000 && sum.net == 0)
        #expect(second.total(in: .eur) == DayReport.Total(gross: 5_000, refunds: 0, disputed: 5_000))
        #expect(try await book.report(2, of: .main).report == second)
    }

    @Test("A refund gives the order back before the tip, and then the tip")
    func tips() async throws {
        let book = world.book()
        _ = try await open(0, book)
        let sold = try await world.sell(5_000, .card, tip: 500)
        _ = try await world.refund(5_200, of: sold)
        #expect(try await book.current(of: .main).report.figures.sum(of: .eur).tips == 300)
        _ = try await world.refund(300, of: sold)
        #expect(try await book.current(of: .main).report.figures.sum(of: .eur).tips == 0)
    }

    @Test("What was captured of a hold has no tip but what exceeds the order, also once the rest is let go of")
    func rest() async throws {
        let book = world.book()
        _ = try await open(0, book)
        func eur(_ units: Int64) -> Money { Money(minorUnits: units, currency: .eur) }
        func sell(_ price: Int64, tip: Int64, part: Int64) async throws {
            let id = PaymentID.make(at: world.clock.now(), random: (900, UInt64(price)))
            let (attempt, capture) = (DayWorld.attempt(of: id), CaptureID(rawValue: "\(id)-c1"))
            let order = try Order(id: OrderID(rawValue: "o-\(price)"), amount: eur(price))
            let hold = Authorization(
                reference: ProviderReference(rawValue: "ref-\(price)"), amount: eur(price + tip), tip: eur(tip))
            try await world.append(
                [
                    .created(.init(payment: id, account: .main, order: order, captureMode: .manual)),
                    .attemptStarted(
                        .init(
                            attempt: attempt, provider: .sandbox, tender: TenderSummary(kind: .card),
                            amount: order.total)),
                    .authorized(attempt, hold), .captureStarted(capture, attempt, eur(part), isFinal: false),
                    .captured(capture, nil), .voidStarted(attempt, reason: .canceled("rest")), .voided(attempt),
                ], to: id)
        }
        try await sell(10_000, tip: 1_000, part: 6_000)
        let none = try await book.current(of: .main).report.figures.sum(of: .eur)
        #expect(none.captured == 6_000 && none.tips == 0)
        try await sell(1_000, tip: 3_000, part: 1_500)
        let sum = try await book.current(of: .main).report.figures.sum(of: .eur)
        #expect(sum.captured == 7_500 && sum.tips == 500)
    }

    @Test("A capture that fails and comes back is counted once, and another one beside it")
    func counted() async throws {
        let book = world.book()
        _ = try await open(0, book)
        let sold = try await world.sell(5_000, .card)
        let capture = try #require(try await world.till.payment(sold)?.captures.first?.id)
        _ = try await book.current(of: .main)
        try await world.append([.captureReversed(capture, Decline(reason: .generic))], to: sold)
        #expect(try await book.current(of: .main).report.figures.sum(of: .eur) == DaySums(count: 1))
        try await world.append([.captureRestored(capture)], to: sold)
        #expect(try await book.current(of: .main).report.figures.sum(of: .eur) == DaySums(count: 1, captured: 5_000))
        let whole = try await DayTotals(world.till, zone: world.zone).figures(of: .main, after: 0).figures
        #expect(whole.sum(of: .eur) == DaySums(count: 1, captured: 5_000))
    }

    @Test("A payment that nothing creates is one that cannot be read")
    func uncreated() async throws {
        let id = PaymentID(rawValue: "pay_lost")
        let record = RecordedEvent(.refunded(RefundID(rawValue: "pay_lost-r1"), nil), at: world.clock.now())
        let event = StoredEvent(sequence: 1, payment: id, account: .main, version: 2, record: record)
        var payments = DayPayments(world.till, zone: world.zone)
        var figures = DayFigures()
        try await payments.add(.event(event), to: &figures)
        #expect(figures.unreadable == [id])
    }

    @Test("A report without its totals is damaged, and one of before epochs, disputes and other currencies is read")
    func kept() async throws {
        let book = world.book()
        _ = try await open(1_000, book)
        try await world.sell(300)
        try await world.sell(700, .card, in: .chf)
        try await count(1_300, book)
        let report = try await book.close(of: .main).report
        let shown = try JSONValue(parsing: DayJSON.report(try await book.report(1, of: .main), seesTotals: true))
        #expect(shown["all_totals"]?.arrayValue?.compactMap { $0["currency"]?.stringValue } == ["CHF", "EUR"])
        var kept = try #require(try await world.till.record(DayReport.id(.main, 1)))
        let body = String(decoding: kept.body, as: UTF8.self)
        kept.body = Array(body.replacing("\"totals\":", with: "\"unknown\":").utf8)
        #expect(throws: JournalError.self) { try DayReport(kept) }
        var old = body.replacing("\"disputed\":0", with: "\"unknown\":0")
        for name in ["epoch", "kept", "refunds_paid", "opening_reason"] {
            old = old.replacing("\"\(name)\":", with: "\"unknown_\(name)\":")
        }
        kept.body = Array(old.utf8)
        #expect(try DayReport(kept) == report)
    }
}
