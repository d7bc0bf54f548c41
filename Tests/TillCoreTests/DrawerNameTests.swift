import Testing
import TillCore

@Suite("The drawer of cash")
struct DrawerNameTests {
    private let bar = DrawerName(rawValue: "bar")

    @Test("has a name of up to 24 lowercase letters, digits and hyphens, a letter first")
    func names() {
        for name in ["main", "b", "bar-2", String(repeating: "a", count: 24)] {
            #expect(DrawerName(ifValid: name)?.rawValue == name)
        }
        let others = [
            "", "Bar", "2", "-a", "a b", "a/b", "a_b", "ä", "a\n", String(repeating: "a", count: 25),
            "a4242424242424242",
        ]
        for name in others { #expect(DrawerName(ifValid: name) == nil, "\(name)") }
    }

    @Test("is kept with whom a change is put down to, and is not there in a record of before")
    func attribution() throws {
        for attribution in [Attribution(.owner), Attribution(.owner, drawer: bar)] {
            var writer = JSONWriter()
            attribution.write(into: &writer)
            #expect(Attribution(try JSONValue(parsing: writer.bytes)) == attribution)
            #expect(String(decoding: writer.bytes, as: UTF8.self).contains("drawer") == (attribution.drawer != nil))
        }
    }

    @Test("is the current one where none is named, and that of nobody's work where there is none")
    func current() async {
        await Attribution.$current.withValue(Attribution(.owner, drawer: bar)) {
            let kept = await Attribution.at(nil) { Attribution.current?.drawer }
            #expect(kept == bar)
            let changed = await Attribution.at(.main) { Attribution.current }
            #expect(changed == Attribution(.owner, drawer: .main))
        }
        let alone = await Attribution.at(bar) { Attribution.current }
        #expect(alone == Attribution(.unattributed, drawer: bar))
    }

    /// Returns a sale and two refunds, the first in the drawer of the sale, the second as the main drawer hands it out.
    private func payment(_ tender: TenderKind) throws -> Payment {
        let id = PaymentID(rawValue: "pay_1")
        let attempt = AttemptID(rawValue: "pay_1-a1")
        let (price, part) = (Money(minorUnits: 900, currency: .eur), Money(minorUnits: 100, currency: .eur))
        let order = try Order(id: OrderID(rawValue: "o-1"), amount: price)
        let (first, second) = (RefundID(rawValue: "pay_1-r1"), RefundID(rawValue: "pay_1-r2"))
        let at = Timestamp(milliseconds: 1_000)
        var payment = Payment(
            .init(payment: id, account: .main, order: order, captureMode: .automatic), at: at)
        let steps: [(PaymentEvent, DrawerName?)] = [
            (
                .attemptStarted(
                    .init(attempt: attempt, provider: .cash, tender: TenderSummary(kind: tender), amount: price)), bar
            ),
            (
                .authorized(
                    attempt,
                    Authorization(reference: ProviderReference(rawValue: "r"), amount: price, isCaptured: true)), bar
            ),
            (.refundStarted(first, attempt, part, reason: nil), nil), (.refunded(first, nil), nil),
            (.refundStarted(second, attempt, part, reason: nil), .main), (.refunded(second, nil), .main),
        ]
        for (event, drawer) in steps {
            payment.evolve(RecordedEvent(event, at: at, by: Attribution(.owner, drawer: drawer)))
        }
        return payment
    }

    @Test("is of the cash of a sale and of its refunds, each of which may come out of another one")
    func cash() throws {
        let sold = try payment(.cash)
        #expect(sold.broken == nil && sold.attempts.map(\.drawer) == [bar])
        #expect(sold.refunds.map(\.drawer) == [bar, DrawerName.main])
    }

    @Test("is of no other tender, whatever was named")
    func cards() throws {
        let sold = try payment(.card)
        #expect(sold.attempts.map(\.drawer) == [nil] && sold.refunds.map(\.drawer) == [nil, nil])
    }
}
