import TillCheckout
import TillContactless
import TillCore
import TillFeatureTap
import TillJournal
import TillJournalSQLite
import TillSandbox
import TillTapToPay

/// A tap that pays and counts a loyalty visit, and one that gives the money back. The phone in the field is virtual; on
/// an iPhone the driver is `ProximityReaderDriver`, and nothing else changes.
@main
struct TapToPaySale {
    static func main() async throws {
        let clock = SystemClock()
        let journal = try SQLiteJournal.open(at: ".till/tap-to-pay.sqlite")
        let sandbox = SandboxProvider(store: SandboxMemoryStore(), clock: clock)
        let checkout = Checkout(journal: journal, providers: [sandbox], clock: clock)
        guard let key = SandboxEnvelope.publicKey else { return }

        let tokens = SandboxReaderTokens(clock: clock)
        let driver = ContactlessTapDriver(
            ContactlessTapDriver.Setup(tokens: tokens, key: key), channel: VirtualCardChannel(.wallet), clock: clock)
        let reader = PaymentCardReader(driver: driver, clock: clock)
        // Whoever listens gets what happened since the reader's last beginning, however late they come.
        let screen = Task {
            for await event in reader.events { print("reader: \(event)") }
        }

        // Each payment is in the journal before its card is read.
        let provider = CheckoutTapToPay(
            checkout: checkout, provider: .sandbox,
            order: { OrderID(rawValue: "tap-\(clock.now().milliseconds)") },
            token: { try tokens.issue(merchant: "shop") })
        let service = TapToPayService(psp: provider, reader: reader, loyalty: SandboxLoyalty(clock: clock))
        try await service.initialize()

        let price = try Money(parsing: "12.50", currency: .eur)
        let passes = VASRequest(vasMerchants: [VASRequest.Merchant(id: "pass.com.example.loyalty")])
        let charge = try await service.charge(price, with: passes)
        for visit in charge.visits { print("loyalty: \(visit.text)") }
        guard let paid = charge.payment, let name = paid.payment else { return print("no card was read") }
        print("\(name) is \(paid.status): \(price), card •••• \(paid.card?.lastFour ?? "")")

        let back = try await service.refund(price, of: name)
        let payment = try await checkout.payment(PaymentID(rawValue: name), account: .main)
        print("\(name): \(payment.refunded) of \(payment.captured) given back, \(back.status)")

        await service.close()
        screen.cancel()
        try await journal.close()
    }
}
