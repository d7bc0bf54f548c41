// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCheckout
import TillCore
import TillJournal

/// Of `AttentionQueue.swift`.
private func example1(_ journal: any Journal & RecordStore) async throws {
    for found in try await AttentionQueue(journal).open(account: .main) {
        print(found.payment.id, found.item.attention.nextStep)
    }
}

/// Of `Checkout+open.swift`.
private func example2(_ checkout: Checkout, _ order: Order) async throws {
    let draft = checkout.draft(account: .main, order: order, captureMode: .automatic)
    let payment = try await checkout.open(draft, whenOccupied: .replaceUnpaid)
    _ = draft
    _ = payment
}

/// Of `Checkout+recover.swift`.
private func example3(_ checkout: Checkout) async throws {
    let recovery = Task {
        await checkout.run { notice in print(notice) }
    }
    // At the end of the process:
    recovery.cancel()
    await recovery.value
    _ = recovery
}

/// Of `Checkout.swift`.
private func example4() async throws {
    let checkout = Checkout(journal: MemoryJournal(), providers: [CashDrawer()], clock: SystemClock())
    let order = try Order(id: OrderID(rawValue: "4711"), amount: Money(parsing: "12.50", currency: .eur))
    let draft = checkout.draft(account: .main, order: order, captureMode: .automatic)
    let payment = try await checkout.create(draft)
    let paid = try await checkout.confirm(payment.id, account: .main, provider: .cash, tender: .cash(tendered: nil))
    _ = checkout
    _ = order
    _ = draft
    _ = payment
    _ = paid
}

/// Of `Checkout.swift`.
private func example5(_ checkout: Checkout, _ paid: Payment) async throws {
    let part = try Money(parsing: "4.50", currency: .eur)
    let back = try await checkout.refund(paid.id, account: .main, amount: part, reason: "cake was old")
    print("\(back.refunded) of \(back.captured) given back.")
    _ = part
    _ = back
}

/// Of `Checkout+find.swift`.
private func example6(_ checkout: Checkout) async throws {
    var search = PaymentSearch(account: .main, limit: 20)
    search.text = "4242"
    repeat {
        let found = try await checkout.find(search)
        for payment in found.payments { print(payment.id) }
        search.before = found.next
    } while search.before != nil
    _ = search
}

/// Of `PaymentListing.swift`.
private func example7(_ checkout: Checkout) async throws {
    for listed in try await checkout.list(PaymentFilter(account: .main, limit: 20)) {
        switch listed {
        case .payment(let payment): print(payment.id, payment.status.rawValue, payment.captured)
        case .unreadable(let row): print(row.id, row.reason)
        }
    }
}
