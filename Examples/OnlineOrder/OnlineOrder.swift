import TillCards
import TillPayPalClient
import TillCore
import TillPayPal
import TillStandInPayPal

/// An order paid with a card through PayPal: first a card that is declined, then one that is not, then the same call
/// once more. PayPal's stand-in answers in process; with `HTTPClientTransport` and PayPal's sandbox it is the same
/// code.
@main
struct OnlineOrder {
    static func main() async throws {
        let clock = SystemClock()
        let config = try ServerConfig(
            clientID: "example", secret: Secret("example-secret"), environment: .custom("http://127.0.0.1:9"))
        let client = CardClient(
            config, transport: SandboxPayPalTransport(clock: clock),
            // One line for each key, on the disk before its call leaves.
            recorder: try FileSentRequests(path: ".till-online-order.keys"))

        let name = "online-\(clock.now().milliseconds)"
        let request = try OrderRequest(purchaseUnits: [
            PurchaseUnit(amount: Amount(currencyCode: "USD", value: "42.00"), description: "One teapot")
        ])
        for holder in ["CCREJECT-IF", "Ada Lovelace"] {
            let card = try PaymentCard(
                number: "4868 7191 9682 9038", expiry: "12/30", securityCode: "123", holder: holder,
                now: clock.now())
            let key = IdempotencyKey(rawValue: "\(name)-\(holder.count)")
            do throws(CardClientError) {
                let order = try await client.executeOrder(request, card: card, key: key)
                switch order.money {
                case .paid(let paid): print("\(card.number): \(order.orderID) is paid, \(paid.amount)")
                case .held(let hold): print("\(card.number): \(order.orderID) is held by \(hold.id)")
                }
                // A lost answer? The same key is the same sale.
                let again = try await client.executeOrder(request, card: card, key: key)
                print("asked again: \(again.orderID == order.orderID ? "the same order" : "ANOTHER ORDER")")
            } catch {
                print("\(card.number): \(error.customerSentence) Money moved: \(error.moneyMoved).")
            }
        }
    }
}
