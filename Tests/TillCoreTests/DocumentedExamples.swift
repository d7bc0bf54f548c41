// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore

/// Of `Identifiers.swift`.
private func example1() async throws {
    let sold = try OrderID(selling: "1001")  // validated: from a form, a file or a request
    let stored = OrderID(rawValue: "1001")  // not validated: from the shop's own records
    print(sold == stored)  // true
    _ = sold
    _ = stored
}

/// Of `Secret.swift`.
private func example2() async throws {
    let key = Secret("example-secret")
    print("Signing in with \(key)")  // Signing in with ••••
    let header = "Bearer \(key.reveal())"
    _ = key
    _ = header
}

/// Of `JSONValue.swift`.
private func example3() async throws {
    let text = #"{"id": "1001", "total": 12.50}"#
    let order = try JSONValue(parsing: text.utf8)
    guard let id = order["id"]?.stringValue, case .number(let total)? = order["total"] else { return }
    print(id, total)  // 1001 12.50: the digits as written
    _ = text
    _ = order
}

/// Of `JSONWriter.swift`.
private func example4() async throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("order", "1001")
    writer.field("amount", 1250)
    writer.endObject()
    print(writer.text)  // {"order":"1001","amount":1250}
    _ = writer
}

/// Of `AmountCodec.swift`.
private func example5() async throws {
    let codec = AmountCodec(
        provider: "Example", exceptions: ["ISK": AmountCodec.Rule(wireExponent: 2, multipleOf: 100)])
    let price = try Money(parsing: "10", currency: Currency(code: "ISK"))
    let wire = try codec.wireAmount(price)  // 1000
    let back = try codec.money(fromWire: wire, currency: price.currency)  // 10 ISK
    _ = codec
    _ = price
    _ = wire
    _ = back
}

/// Of `Currency.swift`.
private func example6() async throws {
    let yen = try Currency(code: "JPY")
    print(yen.name, yen.numericCode, yen.exponent)  // Yen 392 0
    let accepted = ["EUR", "CHF", "XAU"].compactMap { Currency(ifValid: $0) }  // without gold
    _ = yen
    _ = accepted
}

/// Of `Money.swift`.
private func example7() async throws {
    let coffee = Money(minorUnits: 350, currency: .eur)
    let cake = try Money(parsing: "9.00", currency: .eur)
    let total = try coffee.adding(cake)
    print(total)  // 12.50 EUR
    _ = coffee
    _ = cake
    _ = total
}

/// Of `Order.swift`.
private func example8() async throws {
    let price = Money(minorUnits: 1000, currency: .eur)
    let tax = Money(minorUnits: 190, currency: .eur)
    let tea = OrderLine(name: "Tea", quantity: "2", subtotal: price, total: price, tax: tax)
    let order = try Order(
        id: OrderID(selling: "1001"), number: "1001", lines: [tea], total: price.adding(tax))
    _ = price
    _ = tax
    _ = tea
    _ = order
}

/// Of `Payment.swift`.
private func example9(_ history: [RecordedEvent]) async throws {
    guard let payment = Payment(folding: history) else { return }
    print(payment.status.rawValue, payment.captured, payment.refunded)
    let amount = Money(minorUnits: 450, currency: payment.currency)
    for event in try payment.decide(.refund(amount, reason: "The cake was old."), at: SystemClock().now()) {
        print(event.name)  // refund.started
    }
    _ = amount
}

/// Of `CardToken.swift`.
private func example10() async throws {
    if let token = CardToken("pm_1PQrst2eZvKYlo2C") {
        let tender = Tender.token(token)
        print(tender.summary.kind.rawValue)
    }
}

/// Of `LuhnChecksum.swift`.
private func example11() async throws {
    let typed = "4242 4242 4242 4241".filter { $0 != " " }
    if !LuhnChecksum.isValid(typed) {
        print("Check the card number for a typing mistake.")
    }
    _ = typed
}

/// Of `Timestamp.swift`.
private func example12() async throws {
    let now = SystemClock().now()
    let due = now.adding(.days(7))
    guard let ordered = Timestamp(internetTime: "2026-11-21T10:30:00+01:00") else { return }
    print(ordered, ordered < due)  // 2026-11-21T09:30:00.000Z, and whether that is before the due date
    print(now.since(ordered).milliseconds / 1000, "seconds ago")
    _ = now
    _ = due
}
