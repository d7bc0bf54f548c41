import Testing
import TillCore

@testable import TillShop

/// Faults after which the shop may or may not have carried out a change.
enum Lost: String, CaseIterable, Sendable {
    case timeoutBeforeCommit
    case timeoutAfterCommit
    case dropBeforeCommit
    case dropAfterCommit
    case error500
    case serverErrorAfterSuccess
    case outage
    case html
    case htmlAfterCommit
}

@Suite("A payment recorded in a shop")
struct ShopPaymentTests {
    @Test("an order is paid once, with the transaction, method and mark")
    func recorded() async throws {
        try await RunningShop.with { shop in
            let recording = try await shop.client.record(shop.payment())
            guard case .recorded(let order) = recording else { throw Unexpected() }
            #expect(order.status == .processing)
            #expect(order.document["payment_method"]?.stringValue == "till")
            #expect(order.document["payment_method_title"]?.stringValue == "At the counter")
            let entry = try await shop.ledger(101)
            #expect(entry["paid"]?.int64Value == 1)
            #expect(entry["transaction_id"]?.stringValue == "ord_1")
            #expect(entry["meta_data"]?.arrayValue?.contains { $0["key"]?.stringValue == "_till_payment" } == true)
            guard case .already = try await shop.client.record(shop.payment()) else { throw Unexpected() }
            #expect(try await shop.ledger(101)["paid"]?.int64Value == 1)
        }
    }

    @Test("after a lost answer it is tried again and paid once", arguments: Lost.allCases)
    func lost(_ fault: Lost) async throws {
        try await RunningShop.with { shop in
            try await shop.fail("update", fault.rawValue)
            let error = await #expect(throws: ShopError.self) { try await shop.client.record(shop.payment()) }
            guard case .lost = error else { throw Unexpected() }
            #expect(error?.mayHaveHappened == true)
            _ = try await shop.client.record(shop.payment())
            let entry = try await shop.ledger(101)
            #expect(entry["paid"]?.int64Value == 1)
            #expect(entry["marked_paid"]?.int64Value == 0)
        }
    }

    @Test("a question without an answer changed nothing", arguments: Lost.allCases)
    func unavailable(_ fault: Lost) async throws {
        try await RunningShop.with { shop in
            try await shop.fail("read", fault.rawValue)
            let error = await #expect(throws: ShopError.self) { try await shop.client.record(shop.payment()) }
            guard case .unavailable = error else { throw Unexpected() }
            #expect(try await shop.ledger(101)["paid"]?.int64Value == 0)
        }
    }

    @Test("an answer that is too slow is lost")
    func slow() async throws {
        try await RunningShop.with(deadline: .milliseconds(1_000)) { shop in
            try await shop.fail("update", "slow", milliseconds: 600_000)
            let error = await #expect(throws: ShopError.self) { try await shop.client.record(shop.payment()) }
            guard case .lost = error else { throw Unexpected() }
        }
    }

    @Test("a shop that is down did nothing")
    func down() async throws {
        try await RunningShop.with { shop in
            let other = ShopClient(
                try ShopURL("http://127.0.0.1:1"), key: try ShopKey(key: "ck_a", secret: Secret("cs_a")),
                transport: shop.transport, clock: SystemClock())
            let error = await #expect(throws: ShopError.self) { try await other.record(shop.payment()) }
            guard case .notSent = error else { throw Unexpected() }
        }
    }

    @Test(
        "an order that the shop does not wait for is not touched", arguments: ["on-hold", "cancelled", "failed-by-us"])
    func notPayable(_ status: String) async throws {
        try await RunningShop.with { shop in
            try await shop.control("orders/101", "{\"status\": \"\(status)\"}")
            await #expect(throws: ShopError.self) { try await shop.client.record(shop.payment()) }
            let entry = try await shop.ledger(101)
            #expect(entry["paid"]?.int64Value == 0)
            #expect(entry["transaction_id"]?.stringValue == "")
        }
    }

    @Test("cash on delivery is no payment of ours")
    func cashOnDelivery() async throws {
        try await RunningShop.with { shop in
            try await shop.control("orders/101", "{\"status\": \"processing\"}")
            await #expect(throws: ShopError.paidOtherwise(transaction: "")) {
                try await shop.client.record(shop.payment())
            }
            #expect(try await shop.ledger(101)["transaction_id"]?.stringValue == "")
        }
    }

    @Test("a second payment of a paid order is refused")
    func second() async throws {
        try await RunningShop.with { shop in
            _ = try await shop.client.record(shop.payment())
            await #expect(throws: ShopError.paidOtherwise(transaction: "ord_1")) {
                try await shop.client.record(shop.payment(transaction: "ord_2"))
            }
        }
    }

    @Test("another total than what was paid is not recorded as paid")
    func total() async throws {
        try await RunningShop.with { shop in
            try await shop.control("orders/101", "{\"total\": \"15.00\"}")
            let paid = Money(minorUnits: 1_250, currency: .eur)
            await #expect(
                throws: ShopError.totalDiffers(shop: Money(minorUnits: 1_500, currency: .eur), paid: paid)
            ) { try await shop.client.record(shop.payment()) }
            #expect(try await shop.ledger(101)["paid"]?.int64Value == 0)
        }
    }

    @Test("the mark alone proves no payment")
    func transactionWithoutPayment() throws {
        let document = JSONValue.members([
            "id": .number("1"), "status": .string("on-hold"), "currency": .string("EUR"), "total": .string("1.00"),
            "transaction_id": .string("ord_1"), "needs_payment": .bool(false),
            "date_paid_gmt": .string("2026-11-18T10:00:00"), "date_modified_gmt": .string("2026-11-18T10:00:00"),
        ])
        #expect(!(try ShopOrder(document)).isPaid(by: "ord_1"))
        #expect(!(try ShopOrder(document)).isPaid(by: ""))
    }

    @Test("a note is added once")
    func note() async throws {
        try await RunningShop.with { shop in
            try await shop.fail("note", "dropAfterCommit")
            await #expect(throws: ShopError.self) { try await shop.client.note("Paid in two parts.", on: 101) }
            try await shop.client.note("Paid in two parts.", on: 101)
            let notes = try await shop.ledger(101)["notes"]?.arrayValue ?? []
            #expect(notes.count { $0["note"]?.stringValue == "Paid in two parts." } == 1)
        }
    }
}

@Suite("A refund recorded in a shop")
struct ShopRefundTests {
    @Test("after a lost answer it is tried again and recorded once, and moves no money", arguments: Lost.allCases)
    func lost(_ fault: Lost) async throws {
        try await RunningShop.with { shop in
            _ = try await shop.client.record(shop.payment())
            try await shop.fail("refund", fault.rawValue)
            let error = await #expect(throws: ShopError.self) { try await shop.client.record(shop.refund()) }
            guard case .lost = error else { throw Unexpected() }
            _ = try await shop.client.record(shop.refund())
            guard case .already = try await shop.client.record(shop.refund()) else { throw Unexpected() }
            let entry = try await shop.ledger(101)
            #expect(entry["refunded"]?.int64Value == 500)
            #expect(entry["refunded_by_gateway"]?.int64Value == 0)
            #expect(entry["refunds"]?.arrayValue?.count == 1)
        }
    }

    @Test("too much is refused, with the shop's own code")
    func tooMuch() async throws {
        try await RunningShop.with { shop in
            _ = try await shop.client.record(shop.payment())
            let error = await #expect(throws: ShopError.self) {
                try await shop.client.record(shop.refund(1_251))
            }
            guard case .refused(status: 500, let message) = error else { throw Unexpected() }
            #expect(message.code == "woocommerce_rest_cannot_create_order_refund")
            _ = try await shop.client.record(shop.refund(1_250))
            #expect(try await shop.client.order(101).status == .refunded)
        }
    }
}

struct Unexpected: Error {}
