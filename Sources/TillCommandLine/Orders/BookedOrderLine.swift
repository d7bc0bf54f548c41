import TillCheckout
import TillCore
import TillFeatureOrders

/// An order in command output.
enum BookedOrderLine {
    /// Returns a table of orders: identifier, amount, state, money and customer.
    static func lines(of entries: [OrderBook.Entry]) -> [String] {
        let cells = entries.map { entry in
            [
                entry.order.id.rawValue, entry.order.content.order.total.description, entry.order.state.rawValue,
                money(entry.money), entry.order.content.contact?.name ?? "",
            ]
        }
        return TextTable.lines(cells, right: [1])
    }

    /// Returns everything about an order.
    static func full(_ entry: OrderBook.Entry) -> [String] {
        let (booked, content) = (entry.order, entry.order.content)
        var lines = ["\(booked.id)  \(content.order.total)  \(booked.state.rawValue)  \(money(entry.money))"]
        if content.order.number != booked.id.rawValue { lines.append("number \(content.order.number)") }
        switch entry.money {
        case .known(let balance, _):
            lines.append("paid \(balance.paid)  reserved \(balance.reserved)  open \(balance.open)")
            if balance.refunded.isPositive { lines.append("refunded \(balance.refunded)") }
            if balance.excess.isPositive { lines.append("too much \(balance.excess)") }
        case .unreadable(let payment): lines.append("Payment \(payment) cannot be read: see till journal verify.")
        }
        if let standing = content.order.standing { lines.append("The shop says: \(standing.clause)") }
        let wanted = content.wantedAt.map { "wanted at \($0)" }
        let way = content.handover == .none ? nil : content.handover.rawValue
        lines.append((["booked \(booked.createdAt)"] + [wanted, way].compactMap(\.self)).joined(separator: "  "))
        for line in content.order.lines {
            lines.append("  \(line.quantity) × \(line.name)  \(line.total)")
            for option in line.attributes { lines.append("    \(option.name): \(option.value)") }
        }
        for charge in content.order.shipping + content.order.fees { lines.append("  \(charge.name)  \(charge.total)") }
        if let contact = content.contact { lines += people(contact) }
        if let note = content.note { lines.append("Note: \(note)") }
        if case .known(_, let payments) = entry.money {
            for payment in payments {
                lines.append("\(payment.id)  \(payment.amount)  \(payment.status.rawValue)")
            }
        }
        return lines.flatMap { TextTable.fitted($0) }
    }

    /// Returns the lines about the customer.
    private static func people(_ contact: OrderContact) -> [String] {
        var lines: [String] = []
        let ways = [contact.name, contact.phone, contact.email].compactMap(\.self)
        if !ways.isEmpty { lines.append("For " + ways.joined(separator: ", ")) }
        if let address = contact.address {
            let place = [address.postalCode, address.city].compactMap(\.self).joined(separator: " ")
            let parts = address.lines + [place, address.country ?? ""].filter { !$0.isEmpty }
            if !parts.isEmpty { lines.append("At " + parts.joined(separator: ", ")) }
        }
        return lines
    }

    /// Returns the summary of an order's money in one word.
    private static func money(_ money: OrderBook.OrderMoney) -> String {
        switch money {
        case .known(let balance, _): balance.status.rawValue
        case .unreadable: "unreadable"
        }
    }
}
