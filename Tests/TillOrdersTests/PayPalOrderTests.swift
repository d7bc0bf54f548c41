import Testing
import TillCore
import TillOrders

@Suite("Orders as PayPal writes them")
struct PayPalOrderTests {
    static func money(_ value: String, _ code: String = "USD") -> String {
        "{\"currency_code\":\"\(code)\",\"value\":\"\(value)\"}"
    }

    /// Two items with tax, shipping, handling and a shipping discount: 230.00.
    static func document(
        total: String = "230.00", itemTotal: String = "180.00", taxTotal: String = "20.00", quantity: String = "2",
        names: String = #""invoice_id":"INV-77","custom_id":"o-77""#, more: String = ""
    ) -> [UInt8] {
        Array(
            """
            {"intent":"CAPTURE",\(more)"purchase_units":[{"reference_id":"default",\(names),
            "amount":{"currency_code":"USD","value":"\(total)","breakdown":{"item_total":\(money(itemTotal)),
            "shipping":\(money("30.00")),"handling":\(money("10.00")),"tax_total":\(money(taxTotal)),
            "shipping_discount":\(money("10.00"))}},
            "items":[{"name":"T-Shirt","unit_amount":\(money("90.00")),"tax":\(money("10.00")),"quantity":"1"},
            {"name":"Shoes","unit_amount":\(money("45.00")),"tax":\(money("5.00")),"quantity":"\(quantity)"}]}]}
            """.utf8)
    }

    @Test("an order that PayPal calls complete or voided says so") func standing() throws {
        let complete = #""status":"COMPLETED","update_time":"2026-05-04T10:00:00Z","#
        let paid = try Order(document: PayPalOrderTests.document(more: complete))
        #expect(paid.standing == .paid(on: "2026-05-04", through: "PayPal"))
        #expect(try Order(document: PayPalOrderTests.document(more: #""status":"VOIDED","#)).standing == .canceled)
        #expect(try Order(document: PayPalOrderTests.document(more: #""status":"CREATED","#)).standing == nil)
    }

    @Test("it sells at its total, with its lines, charges and tax") func sells() throws {
        let order = try Order(document: PayPalOrderTests.document())
        #expect(order.id.rawValue == "INV-77")
        #expect(order.total == Money(minorUnits: 23_000, currency: .usd))
        #expect(order.lines.map(\.quantity) == ["1", "2"])
        #expect(order.lines.map(\.total.minorUnits) == [9_000, 9_000])
        #expect(order.taxTotal.minorUnits == 2_000)
        #expect(order.shippingTotal.minorUnits == 3_000)
        #expect(order.feeTotal.minorUnits == 0)
        #expect(order.fees.map(\.total.minorUnits) == [1_000, -1_000])
        #expect(order.notices.isEmpty)
    }

    @Test("a total without a breakdown sells, known by the best name that there is") func plain() throws {
        func order(_ names: String) throws -> Order {
            try Order(
                document: Array(#"{"purchase_units":[{\#(names)"amount":\#(PayPalOrderTests.money("5"))}]}"#.utf8))
        }
        #expect(try order(#""custom_id":"c-1","#).id.rawValue == "c-1")
        #expect(try order(#""reference_id":"PUHF","#).total.minorUnits == 500)
        let answer =
            #"{"id":"5O190127TN364715T","status":"COMPLETED","intent":"AUTHORIZE","purchase_units":"#
            + #"[{"reference_id":"default","amount":\#(PayPalOrderTests.money("5.00"))}]}"#
        let read = try Order(document: Array(answer.utf8))
        #expect(read.id.rawValue == "5O190127TN364715T")
        #expect(read.notices.count == 2)
        #expect(throws: OrderError.self) { try order(#""reference_id":"default","#) }
    }

    @Test(
        "what does not add up is refused with the difference",
        arguments: [
            (PayPalOrderTests.document(total: "230.01"), "a difference of 0.01 USD"),
            (PayPalOrderTests.document(itemTotal: "181.00"), "its item_total says 181.00: a difference of 1.00 USD"),
            (PayPalOrderTests.document(taxTotal: "19.00"), "its tax_total says 19.00: a difference of 1.00 USD"),
            (PayPalOrderTests.document(quantity: "3"), "it lists 225.00, but its item_total says 180.00"),
        ])
    func contradictions(document: [UInt8], sentence: String) {
        do throws(OrderError) {
            _ = try Order(document: document)
            Issue.record("it sold")
        } catch { #expect("\(error.what)".contains(sentence), "\(error.what)") }
    }

    @Test(
        "what is no order is named, and nothing traps",
        arguments: [
            #"{"purchase_units":[]}"#, #"{"purchase_units":null}"#, #"{"purchase_units":[1]}"#,
            #"{"purchase_units":[{"custom_id":"a","amount":{"value":"5.00"}}]}"#,
            #"{"purchase_units":[{"custom_id":"a","amount":{"currency_code":"USD"}}]}"#,
            #"{"purchase_units":[{"custom_id":"a","amount":{"currency_code":"USD","value":"5.001"}}]}"#,
            #"{"purchase_units":[{"custom_id":"a b","amount":{"currency_code":"USD","value":"5.00"}}]}"#,
            #"{"purchase_units":[{"custom_id":"a","amount":{"currency_code":"USD","value":"5.00"},"#
                + #""items":[{"quantity":"9999999999","unit_amount":"#
                + #"{"currency_code":"USD","value":"99999999999.99"}}]}]}"#,
            #"{"purchase_units":[{"custom_id":"a","amount":{"currency_code":"USD","value":"5.00"},"#
                + #""items":[{"quantity":"1","unit_amount":{"currency_code":"EUR","value":"5.00"}}]}]}"#,
            #"{"purchase_units":[{"amount":{"currency_code":"USD","value":"1.00"}},{}]}"#,
        ])
    func refused(document: String) {
        #expect(throws: OrderError.self) { try Order(document: Array(document.utf8)) }
    }
}
