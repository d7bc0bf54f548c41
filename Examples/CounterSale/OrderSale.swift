import TillClient
import TillCore

extension CounterSale {
    /// Lists the open orders of the counter's order book, newest first, and returns the exit code.
    static func listOrders(_ counter: CounterClient) async throws(CounterError) -> Int32 {
        var next: OrderID?
        repeat {
            let page = try await counter.orders(in: .open, before: next)
            for order in page.orders { say("\(order.id): \(sentence(order.money))") }
            if page.unreadable > 0 { say("\(page.unreadable) orders cannot be read") }
            next = page.next
        } while next != nil
        return 0
    }

    /// Takes what is open of an order in cash, and returns the exit code.
    ///
    /// The keys are made of the order, so a program that was ended asks for the same payment again.
    static func takeCash(for order: OrderID, _ counter: CounterClient) async throws(CounterError) -> Int32 {
        let booked = try await counter.order(order)
        let payment = try await counter.createPayment(of: booked, key: IdempotencyKey(rawValue: "create-\(order)"))
        let paid = try await counter.confirm(payment, .cash(nil), key: IdempotencyKey(rawValue: "cash-\(order)"))
        say("\(paid.id): \(paid.status), \(paid.captured)")
        return paid.captured == paid.amount ? 0 : 3
    }

    private static func sentence(_ money: CounterOrderMoney) -> String {
        switch money {
        case .known(let balance): "\(balance.status.rawValue), \(balance.open) open"
        case .unreadable: "its money cannot be read"
        }
    }
}
