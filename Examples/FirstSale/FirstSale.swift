import TillCheckout
import TillCore
import TillJournal
import TillJournalSQLite

/// The README's example: a sale in cash on an embedded journal.
@main
struct FirstSale {
    static func main() async throws {
        let journal = try SQLiteJournal.open(at: ".till/first-sale.sqlite")
        let checkout = Checkout(journal: journal, providers: [CashDrawer()], clock: SystemClock())
        let euro = try Currency(code: "EUR")
        let name = "first-sale-\(SystemClock().now().milliseconds)"
        let order = try Order(
            id: OrderID(rawValue: name), amount: Money(parsing: "12.50", currency: euro), description: nil)
        let draft = checkout.draft(account: .main, order: order, captureMode: .automatic)
        let payment = try await checkout.create(draft)
        let paid = try await checkout.confirm(
            payment.id, account: .main, provider: .cash, tender: .cash(tendered: nil))
        print("\(paid.id) is \(paid.status.rawValue): captured \(paid.captured).")
        try await journal.close()
    }
}
