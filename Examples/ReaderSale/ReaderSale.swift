import TillCheckout
import TillCore
import TillHardware
import TillJournal
import TillJournalSQLite
import TillReceipts
import TillSandbox

/// A sale at a card reader, its receipt, and a refund of a part. The reader is simulated and the sandbox moves no
/// money.
@main
struct ReaderSale {
    static func main() async throws {
        let clock = SystemClock()
        let journal = try SQLiteJournal.open(at: ".till/reader-sale.sqlite")
        let sandbox = SandboxProvider(store: SandboxMemoryStore(), clock: clock)
        let checkout = Checkout(journal: journal, providers: [sandbox], clock: clock)

        // The payment is in the journal before the reader wakes.
        let price = try Money(parsing: "12.50", currency: .eur)
        let order = try Order(
            id: OrderID(rawValue: "reader-sale-\(clock.now().milliseconds)"), amount: price,
            description: "Coffee and cake")
        let payment = try await checkout.create(
            checkout.draft(account: .main, order: order, captureMode: .automatic))

        // With a real reader only the driver is another one.
        let driver = SimulatedCardReaderDriver(card: try SimulatedCard(parsing: "visa"))
        let reader = StandardCardReaderService(driver: driver)
        let events = reader.readerEvents.subscribe()
        let screen = Task {
            for await event in events { print("reader: \(event.message ?? event.type.rawValue)") }
        }
        try await reader.start(NoCardReaderConfig())
        for await found in reader.discoveredReaders {
            guard let first = found.first else { continue }
            try await reader.connect(first)
            break
        }
        let card = try await reader.collectPaymentMethod(
            PaymentIntentParameters(amount: price, order: order.id))

        let paid = try await checkout.confirm(
            payment.id, account: .main, provider: .sandbox, tender: .cardPresent(card))
        await reader.show(CardReaderEvent(paid.status == .succeeded ? .approved : .declined))
        await driver.takeCard()
        await reader.waitForInsertedCardToBeRemoved()
        screen.cancel()

        print(ReceiptRenderer.text(ReceiptContent(payment: paid, store: StoreDetails(name: "Corner shop"))))

        let part = try Money(parsing: "4.50", currency: .eur)
        let back = try await checkout.refund(paid.id, account: .main, amount: part, reason: "cake was old")
        print("\(back.id): \(back.refunded) of \(back.captured) given back.")
        try await journal.close()
    }
}
