import Foundation
import Testing
import TillCore
import TillOrders
import TillTestSupport

@Suite("WooCommerce orders")
struct WooCommerceOrderTests {
    /// An order of 30.00 for two lines, 5.00 shipping and a fee, with tax; `changes` replaces or adds members.
    private func document(_ changes: [String: String] = [:], without gone: Set<String> = []) -> [UInt8] {
        var members = [
            "id": "963", "number": "\"A-963\"", "currency": "\"USD\"", "status": "\"pending\"",
            "line_items": """
            [{"name":"Tea &amp; cake","quantity":2,"subtotal":"24.00","total":"20.00","total_tax":"2.00","sku":"TC"},
             {"name":"Book","quantity":1.5,"subtotal":"10","total":10,"total_tax":"1.00","sku":""}]
            """,
            "shipping_lines": #"[{"method_title":"Post","total":"5.00","total_tax":"0.50"}]"#,
            "fee_lines": #"[{"name":"Deposit","total":"1.00","total_tax":"0.00"}]"#,
            "coupon_lines": #"[{"code":"four","discount":"4"}]"#,
            "tax_lines": #"[{"label":"VAT","tax_total":"3.00","shipping_tax_total":"0.50"}]"#,
            "total_tax": "\"3.50\"", "cart_tax": "\"3.00\"", "shipping_total": "\"5.00\"", "shipping_tax": "\"0.50\"",
            "discount_total": "\"4.00\"", "total": "\"39.50\"",
        ]
        for (key, value) in changes { members[key] = value }
        for key in gone { members[key] = nil }
        return Array(("{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}").utf8)
    }

    private func cents(_ cents: Int64) -> Money { Money(minorUnits: cents, currency: .usd) }

    @Test("the parts are read and add up")
    func reads() throws {
        let order = try Order(document: document())
        #expect(order.id.rawValue == "963")
        #expect(order.number == "A-963")
        #expect(order.total == cents(3_950))
        #expect(order.subtotal == cents(3_400))
        #expect(order.discountTotal == cents(400))
        #expect(order.shippingTotal == cents(500))
        #expect(order.feeTotal == cents(100))
        #expect(order.taxTotal == cents(350))
        #expect(order.rounding.isZero)
        #expect(order.lines.map(\.name) == ["Tea & cake", "Book"])
        #expect(order.lines.map(\.quantity) == ["2", "1.5"])
        #expect(order.lines.map(\.sku) == ["TC", nil])
        #expect(order.coupons == [OrderCoupon(code: "four", discount: cents(400))])
        #expect(order.taxes == [OrderTax(label: "VAT", total: cents(350))])
        #expect(order.notices == [])
        try order.checkArithmetic()
    }

    @Test("an envelope, a comma too many, text or number as id, and a missing number are taken")
    func envelopes() throws {
        let plain = String(decoding: document(), as: UTF8.self)
        #expect(try Order(document: Array("{\"data\":\(plain)}".utf8)) == Order(document: document()))
        #expect(try Order(document: Array((plain.dropLast() + ",}").utf8)) == Order(document: document()))
        #expect(try Order(document: document(["id": "\"abc-1\""], without: ["number"])).number == "abc-1")
        #expect(try Order(document: document(["number": "77"])).number == "77")
    }

    @Test(
        "one cent off is refused, whichever part it is in",
        arguments: [
            ["total": "\"39.49\""], ["total": "39.51"], ["total": "\"0.00\""], ["total": "\"-39.50\""],
            ["fee_lines": "[]"], ["fee_lines": #"[{"name":"x","total":"1.01","total_tax":"0.00"}]"#],
            ["shipping_lines": #"[{"method_title":"Post","total":"5.00","total_tax":"0.51"}]"#],
            ["gift_cards": #"[{"code":"ABCD","amount":"0.01"}]"#],
        ])
    func oneCentOff(changes: [String: String]) {
        do {
            _ = try Order(document: document(changes))
            Issue.record("it must throw")
        } catch {
            guard case .doesNotAddUp = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test(
        "a declared part that contradicts the list is refused",
        arguments: ["total_tax", "cart_tax", "shipping_total", "shipping_tax", "discount_total"])
    func contradictions(part: String) throws {
        do {
            _ = try Order(document: document([part: "\"9.99\""]))
            Issue.record("it must throw")
        } catch {
            guard case .declaredPartDiffers("A-963", part, let declared, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(declared == cents(999))
        }
        #expect(throws: Never.self) { try Order(document: document(without: [part])) }
    }

    @Test("the sentence names the parts and the difference")
    func sentence() {
        do {
            _ = try Order(document: document(["total": "\"31.20\"", "number": "null"]))
            Issue.record("it must throw")
        } catch {
            #expect(
                "\(error)" == "Order 963 does not add up: lines 30.00 + shipping 5.00 + fees 1.00 + tax 3.50 = 39.50, "
                    + "but its total says 31.20: a difference of 8.30 USD. No money moved. "
                    + "Correct the order and try again.")
        }
    }

    @Test("shipping and tax that are only declared count as one charge")
    func declaredOnly() throws {
        let lines = #"[{"name":"Tea","quantity":1,"total":"10.00"}]"#
        let order = try Order(
            document: Array(
                """
                {"id":1,"currency":"EUR","line_items":\(lines),"shipping_total":"5.00","shipping_tax":"0.50",
                 "total_tax":"1.50","total":"16.50"}
                """.utf8))
        #expect(order.shipping.map(\.total.minorUnits) == [500])
        #expect(order.taxTotal.minorUnits == 150)
        #expect(try Order(json: order.jsonValue) == order)
        #expect(order.isWrittenAsItsValues)
        #expect(throws: OrderError.self) { try Order(document: document(["shipping_lines": "[]", "total": "\"34\""])) }
    }

    @Test("a gift card pays its part, a fee below zero reduces, and no card code is kept")
    func reductions() throws {
        let order = try Order(
            document: document([
                "gift_cards": #"[{"code":"SECRET-1234","amount":"9.00"}]"#,
                "fee_lines": #"[{"name":"Loyalty","total":"-1.50","total_tax":"0.00"}]"#, "total": "\"28.00\"",
            ]))
        #expect(order.total == cents(2_800))
        #expect(order.feeTotal == cents(-150))
        #expect(order.giftCards == [OrderGiftCard(lastFour: "1234", amount: cents(900))])
        #expect(!order.jsonValue.text.contains("SECRET"))
        #expect(throws: OrderError.zeroTotal(order: "A-963")) {
            try Order(document: document(["gift_cards": #"[{"code":"1","amount":"39.50"}]"#, "total": "\"0.00\""]))
        }
        #expect(throws: OrderError.negativeTotal(order: "A-963", cents(-50))) {
            try Order(document: document(["gift_cards": #"[{"code":"1","amount":"40"}]"#, "total": "\"-0.50\""]))
        }
    }

    @Test("digits below the cent are summed exactly and rounded once")
    func exports() throws {
        let line = #"{"name":"Hat","quantity":1,"subtotal":"17.647059","total":"17.647059","total_tax":"0.352941"}"#
        let order = { (lines: [String], total: String) throws -> Order in
            try Order(
                document: Array(
                    #"{"id":1,"currency":"EUR","line_items":[\#(lines.joined(separator: ","))],"total":"\#(total)"}"#
                        .utf8))
        }
        #expect(try order([line], "18.00").rounding.isZero)
        let three = try order([line, line, line], "54.00")
        #expect(three.rounding.isZero)
        #expect(throws: OrderError.self) { try order([line, line, line], "54.01") }
        let third = #"{"name":"Hat","quantity":1,"total":"3.333333","total_tax":"0.00"}"#
        let thirds = try order([third, third, third], "10.00")
        #expect(thirds.lines.map(\.total.minorUnits) == [333, 333, 333])
        #expect(thirds.rounding.minorUnits == 1)
        #expect(try Order(json: thirds.jsonValue) == thirds)
        #expect(thirds.isWrittenAsItsValues)
        #expect(throws: OrderError.self) { try order([third, third, third], "9.99") }
        #expect(throws: OrderError.self) { try order([third, third, third], "10.000001") }
        let half = #"{"name":"Hat","quantity":1,"total":"0.005"}"#
        #expect(try order([half], "0.01").total.minorUnits == 1)
    }

    @Test("a price and a quantity whose product fills 128 bits are refused, and end nothing")
    func widest() {
        let quantity = "170141183460469231731687303715884.105727"
        let lines = #"[{"name":"Hat","quantity":\#(quantity),"price":0.000000000001,"total":"1.00"}]"#
        #expect(throws: OrderError.self) {
            try Order(document: Array(#"{"id":1,"currency":"EUR","line_items":\#(lines),"total":"1.00"}"#.utf8))
        }
    }

    @Test("tax that was rounded once for the whole order is accepted if its digits prove it")
    func roundedOnce() throws {
        let line = { (shown: String, exact: String) in
            #"{"name":"Hat","quantity":1,"subtotal":"10.00","total":"10.00","total_tax":"\#(shown)","#
                + #""taxes":[{"id":1,"total":"\#(exact)"},{"id":2,"total":""}]}"#
        }
        let order = { (lines: [String], tax: String, total: String) throws -> Order in
            try Order(
                document: Array(
                    """
                    {"id":1,"currency":"EUR","line_items":[\(lines.joined(separator: ","))],"total_tax":"\(tax)",
                     "cart_tax":"\(tax)","total":"\(total)"}
                    """.utf8))
        }
        let one = line("0.33", "0.334")
        let proved = try order([one, one, one], "1.00", "31.00")
        // The tax is the one that the shop shows.
        #expect(proved.taxTotal.minorUnits == 100)
        #expect(proved.rounding.isZero)
        #expect(try Order(json: proved.jsonValue) == proved)
        #expect(proved.isWrittenAsItsValues)
        #expect(throws: OrderError.self) { try order([one, one, one], "0.99", "31.00") }
        #expect(throws: OrderError.self) { try order([one, one, one], "1.01", "31.01") }
        let unexplained = line("0.32", "0.334")
        #expect(throws: OrderError.self) { try order([one, one, unexplained], "1.00", "31.00") }
        let undetailed = #"{"name":"Hat","quantity":1,"total":"10.00","total_tax":"0.33"}"#
        #expect(throws: OrderError.self) { try order([undetailed, undetailed, undetailed], "1.00", "31.00") }
    }

    @Test("attributes are those that are meant to be seen, decoded and harmless")
    func attributes() throws {
        let long = String(repeating: "x", count: 500)
        let order = try Order(
            document: document([
                "line_items": """
                [{"name":"&lt;b&gt; &#36;5 &#x20AC; caf&eacute; &times; &bogus; & &amp;lt;\\u001b[2J\\n\\u202Ex \(long)",
                  "quantity":"1","subtotal":"34.00","total":"30.00","total_tax":"3.00","meta_data":[
                  {"key":"color","value":"orange","display_key":"Color","display_value":"<p>Orange &amp; red</p>\\n"},
                  {"key":"_hidden","value":"x"},{"key":"size","value":42},{"key":"box","value":{"a":1}},
                  {"key":"list","value":[1]},{"key":"note","value":"1 < 2 > 0"},{"key":"","value":"x"}]}]
                """
            ]))
        let line = try #require(order.lines.first)
        #expect(line.name.hasPrefix("<b> $5 € café × &bogus; & &lt;[2J x xxx"))
        #expect(line.name.unicodeScalars.count == 200)
        #expect(
            line.attributes == [
                OrderAttribute(name: "Color", value: "Orange & red"), OrderAttribute(name: "size", value: "42"),
                OrderAttribute(name: "note", value: "1 < 2 > 0"),
            ])
    }

    @Test("a paid, refunded or canceled order says so and its amount stays")
    func notices() throws {
        let order = try Order(
            document: document([
                "date_paid": "null", "date_paid_gmt": "\"2019-06-06T17:17:58\"", "payment_method_title": "\"Card\"",
                "refunds": #"[{"id":1,"total":"-10.00"},{"id":2,"total":"-0.50"}]"#, "status": "\"refunded\"",
            ]))
        #expect(order.total == cents(3_950))
        #expect(
            order.notices == [
                "Order A-963 says it was paid on 2019-06-06 through Card.",
                "Order A-963 lists refunds of 10.50 USD; they do not change what is charged.",
                "Order A-963 has the status “refunded”.",
            ])
    }

    @Test(
        "what the shop says of a settled order is read; a failed one may be charged",
        arguments: [
            (["status": "\"trash\""], OrderStanding.trashed), (["status": "\"cancelled\""], .canceled),
            (["status": "\"refunded\"", "date_paid": "\"2019-06-06T17:17:58\""], .refunded),
            (
                ["date_paid": "\"2019-06-06T17:17:58\"", "payment_method_title": "\"Card\""],
                .paid(on: "2019-06-06", through: "Card")
            ),
            (["date_paid_gmt": "\"2019-06-06T17:17:58\""], .paid(on: "2019-06-06", through: nil)),
            (["date_paid": "\"\"", "status": "\"failed\""], nil), ([:], nil),
        ] as [([String: String], OrderStanding?)])
    func standing(changes: [String: String], expected: OrderStanding?) throws {
        let order = try Order(document: document(changes))
        #expect(order.standing == expected)
        #expect(try Order(json: order.jsonValue) == order, "it is stored with the order")
        #expect(order.isWrittenAsItsValues)
    }

    @Test(
        "what is no sellable order is refused with a reason",
        arguments: [
            (["total": "null"], "it has no total"), (["currency": "null"], "it has no currency"),
            (["id": "null"], "it has no id"), (["id": "\"a b\""], "its id"), (["currency": "\"ZZZ\""], "ZZZ"),
            (["currency": "\"XAU\""], "XAU"), (["total": "\"39.505\""], "more precise"),
            (["total": "3.95e1"], "3.95e1"),
            (["total": "\"39,50\""], "39,50"), (["line_items": "{}"], "line_items is no list"),
            (["line_items": "[1]"], "line_items[0] is no object"),
            (["line_items": "[{}]"], "line_items[0] has no total"),
            (["line_items": #"[{"total":"abc"}]"#], "line_items[0].total is wrong"),
            (["fee_lines": #"[{"total":true}]"#], "fee_lines[0].total is no amount"),
            (["fee_lines": #"[{"total":"99999999999999999999999"}]"#], "fee_lines[0].total is wrong"),
            (["total": "\"99999999999999999999\""], "too large"),
            (["line_items": "[" + String(repeating: "{\"total\":0},", count: 1_000) + "{\"total\":0}]"], "1000"),
        ] as [([String: String], String)])
    func refusals(changes: [String: String], reason: String) {
        do {
            _ = try Order(document: document(changes))
            Issue.record("it must throw")
        } catch { #expect("\(error)".contains(reason), "\(error)") }
    }

    @Test("a list, another document and no document are refused")
    func otherDocuments() {
        let one = String(decoding: document(), as: UTF8.self)
        for (text, reason) in [
            ("[\(one),\(one)]", "list (of 2)"), ("{\"data\":[\(one)]}", "list (of 1)"), ("7", "no object"),
            ("{}", "no id"),
            ("{\"code\":\"x\",\"message\":\"Invalid ID.\",\"data\":{\"status\":404}}", "Invalid ID."),
            ("{\"total\":", "Line 1, column 10"), ("", "empty"),
        ] {
            do {
                _ = try Order(document: Array(text.utf8))
                Issue.record("it must throw")
            } catch { #expect("\(error)".contains(reason), "\(error)") }
        }
    }

    @Test("no changed byte of a document makes the reader trap, and what it takes still adds up")
    func hostile() throws {
        let document = document(["refunds": #"[{"total":"-1"}]"#, "gift_cards": "[]"])
        for index in document.indices {
            for byte in [0x30, 0x39, 0x2D, 0x2E, 0x22, 0x5B, 0x7B, 0x26, 0xFF] as [UInt8] {
                var changed = document
                changed[index] = byte
                if let order = try? Order(document: changed) { try order.checkArithmetic() }
            }
        }
    }
}
