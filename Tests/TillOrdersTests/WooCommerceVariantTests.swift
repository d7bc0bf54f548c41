import Testing
import TillCore
import TillOrders
import TillTestSupport

/// Orders of shops that differ: in what they round and when, in what they leave out, in what they write as what.
@Suite("WooCommerce orders of many shops")
struct WooCommerceVariantTests {
    private func order(_ text: String) throws -> Order { try Order(document: Array(text.utf8)) }

    private func refusal(_ text: String) -> String {
        do {
            _ = try order(text)
            return "it was taken"
        } catch { return "\(error)" }
    }

    @Test("prices with 7 % tax inside and a coupon: the discount that the shop shows is off by the line's rounding")
    func includedTaxWithCoupon() throws {
        let text = """
            {"data":{"id":71,"number":"71","currency":"EUR","prices_include_tax":true,
             "discount_total":"0.93","discount_tax":"0.07","shipping_total":"0.00","shipping_tax":"0.00",
             "cart_tax":"0.59","total":"9.00","total_tax":"0.59",
             "line_items":[{"name":"Brot","quantity":1,"subtotal":"9.35","subtotal_tax":"0.65","total":"8.41",
              "total_tax":"0.59","taxes":[{"id":1,"total":"0.588785","subtotal":"0.654206"}],"price":8.411215}],
             "coupon_lines":[{"code":"zehn","discount":"0.934579","discount_tax":"0.065421"}]}}
            """
        let sold = try order(text)
        #expect(sold.total.minorUnits == 900)
        #expect(sold.taxTotal.minorUnits == 59)
        #expect(try Order(json: sold.jsonValue) == sold)
        #expect(sold.isWrittenAsItsValues)
        #expect(refusal(text.replacing("\"0.93\"", with: "\"0.92\"")).contains("its discount_total says 0.92"))
        let other = text.replacing("\"0.93\"", with: "\"2.00\"").replacing("\"0.934579\"", with: "\"2.00\"")
        #expect(refusal(other).contains("a difference of 1.06 EUR"))
    }

    @Test("tax rounded at the subtotal, prices with tax inside: only the digits of price and taxes make the total")
    func roundedAtSubtotal() throws {
        let line =
            #"{"name":"Hut","quantity":1,"subtotal":"8.40","subtotal_tax":"1.60","total":"8.40","#
            + #""total_tax":"1.60","taxes":[{"id":1,"total":"1.596639","subtotal":"1.596639"}],"price":8.403361}"#
        let text = { (total: String, tax: String) in
            """
            {"id":5,"currency":"EUR","prices_include_tax":true,"discount_total":"0.00","cart_tax":"\(tax)",
             "total_tax":"\(tax)","total":"\(total)","line_items":[\(line),\(line),\(line),\(line),\(line),\(line)]}
            """
        }
        let sold = try order(text("60.00", "9.58"))
        #expect(sold.total.minorUnits == 6_000)
        #expect(refusal(text("60.01", "9.58")).contains("a difference of 0.01 EUR"))
        #expect(refusal(text("60.00", "9.57")).contains("its total_tax says 9.57"))
    }

    @Test("a price that is a third of something, and several rates")
    func thirds() throws {
        let sold = try order(
            """
            {"id":6,"currency":"USD","total":"32.85","total_tax":"2.85","cart_tax":"2.85","line_items":[
             {"name":"A","quantity":3,"total":"10.00","total_tax":"0.95","price":3.3333333333333335,
              "taxes":[{"id":1,"total":"0.8875"},{"id":2,"total":"0.0625"},{"id":3,"total":""}]},
             {"name":"B","quantity":3,"total":"10.00","total_tax":"0.95","price":3.3333333333333335,
              "taxes":[{"id":1,"total":"0.8875"},{"id":2,"total":"0.0625"}]},
             {"name":"C","quantity":3,"total":"10.00","total_tax":"0.95","price":3.3333333333333335,
              "taxes":[{"id":1,"total":"0.8875"},{"id":2,"total":"0.0625"}]}],
             "tax_lines":[{"label":"NY State","tax_total":"2.67","shipping_tax_total":"0.00"},
              {"label":"NY City","tax_total":"0.18","shipping_tax_total":"0.00"}]}
            """)
        #expect(sold.taxes.map(\.label) == ["NY State", "NY City"])
    }

    @Test("tax on shipping and on a fee below zero")
    func feeTaxes() throws {
        let sold = try order(
            """
            {"id":7,"currency":"EUR","total":"22.61","total_tax":"3.61","cart_tax":"2.66","shipping_total":"5.00",
             "shipping_tax":"0.95","discount_total":"0.00","line_items":[
             {"name":"A","quantity":1,"subtotal":"15.00","subtotal_tax":"2.85","total":"15.00","total_tax":"2.85"}],
             "shipping_lines":[{"method_title":"DHL","total":"5.00","total_tax":"0.95","taxes":[{"id":1,"total":"0.95"}]}],
             "fee_lines":[{"name":"Treue &ndash; danke","amount":"-1","total":"-1.00","total_tax":"-0.19",
              "taxes":[{"id":1,"total":"-0.19"}]}]}
            """)
        #expect(sold.feeTotal.minorUnits == -100)
        #expect(sold.fees.map(\.name) == ["Treue – danke"])
        #expect(sold.taxTotal.minorUnits == 361)
    }

    @Test(
        "currencies without decimals and with three, and shops that show no cents",
        arguments: [
            ("JPY", "1100", "1000", "100", 1_100), ("KWD", "1.365", "1.300", "0.065", 1_365),
            ("HUF", "1270", "1000", "270", 127_000), ("ISK", "1240", "1000", "240", 1_240),
            ("JPY", "1100.00", "1000.00", "100.00", 1_100), ("BHD", "1.365000", "1.3", "0.065", 1_365),
        ] as [(String, String, String, String, Int64)])
    func places(code: String, total: String, goods: String, tax: String, minorUnits: Int64) throws {
        let sold = try order(
            """
            {"id":8,"currency":"\(code)","total":"\(total)","total_tax":"\(tax)","cart_tax":"\(tax)","line_items":[
             {"name":"A","quantity":1,"subtotal":"\(goods)","total":"\(goods)","total_tax":"\(tax)"}]}
            """)
        #expect(sold.total.minorUnits == minorUnits)
    }

    @Test("a shop that sells in whole forints adds up by its digits, and not by more than it shows")
    func wholeUnits() throws {
        let text = { (total: String) in
            """
            {"id":9,"currency":"HUF","prices_include_tax":true,"total":"\(total)","total_tax":"637","cart_tax":"637",
             "discount_total":"0","line_items":[
             {"name":"A","quantity":1,"subtotal":"787","total":"787","total_tax":"213","price":787.401575,
              "taxes":[{"id":1,"total":"212.598425"}]},
             {"name":"B","quantity":1,"subtotal":"787","total":"787","total_tax":"213","price":787.401575,
              "taxes":[{"id":1,"total":"212.598425"}]},
             {"name":"C","quantity":1,"subtotal":"786","total":"786","total_tax":"212","price":786.2,
              "taxes":[{"id":1,"total":"212.2"}]}]}
            """
        }
        #expect(try order(text("2998")).total.minorUnits == 299_800)
        #expect(refusal(text("2997")).contains("a difference of 1.00 HUF"))
        let mixed =
            #"{"id":9,"currency":"EUR","total":"12.5","line_items":[{"name":"A","total":"12.46","price":12.46}]}"#
        #expect(refusal(mixed).contains("a difference of 0.04 EUR"))
    }

    @Test("the receipt shows the tax that the order shows, also where its lines round to less")
    func declaredTax() throws {
        let line = { (name: String, total: String, tax: String, exact: String) in
            """
            {"name":"\(name)","quantity":1,"subtotal":"\(total)","total":"\(total)","total_tax":"\(tax)",
             "taxes":[{"id":1,"total":"\(exact)"}]}
            """
        }
        let sold = try order(
            """
            {"id":15,"currency":"GBP","prices_include_tax":true,"total":"6.24","total_tax":"1.04","cart_tax":"1.04",
             "line_items":[\(line("Brush", "4.88", "0.97", "0.975")),\(line("Bead", "0.33", "0.06", "0.065"))],
             "tax_lines":[{"label":"VAT","tax_total":"1.04","shipping_tax_total":"0.00"}]}
            """)
        #expect(sold.total.minorUnits == 624)
        #expect(sold.taxTotal.minorUnits == 104)
        #expect(sold.taxes == [OrderTax(label: "VAT", total: Money(minorUnits: 104, currency: .gbp))])
        #expect(sold.rounding.minorUnits == -1)
        #expect(try Order(json: sold.jsonValue) == sold)
        #expect(sold.isWrittenAsItsValues)
    }

    @Test("amounts as numbers, with the noise of binary fractions")
    func numbers() throws {
        let sold = try order(
            """
            {"id":10,"currency":"USD","total":31.199999999999999,"total_tax":1.2,"line_items":[
             {"name":"A","quantity":2,"subtotal":30,"total":30.0,"total_tax":1.2,"price":15}]}
            """)
        #expect(sold.total.minorUnits == 3_120)
        #expect(refusal(#"{"id":10,"currency":"USD","total":31.199,"line_items":[]}"#).contains("more precise"))
    }

    @Test("missing and empty optional parts, and an order of nothing but a fee")
    func sparse() throws {
        let sold = try order(
            """
            {"id":11,"currency":"EUR","total":"5.95","line_items":[],"shipping_lines":[{"method_title":"Abholung","total":""}],
             "fee_lines":[{"name":null,"total":"5.00","total_tax":null,"taxes":[{"id":1,"total":"0.95"}]}],
             "tax_lines":null,"coupon_lines":null,"refunds":null,"meta_data":null,"date_paid":null,"number":null}
            """)
        #expect(sold.fees.map(\.name) == ["Fee"])
        #expect(sold.taxTotal.minorUnits == 95)
        #expect(sold.number == "11")
    }

    @Test("an order with a refund in part sells at its total and says so; one of nothing is refused")
    func refundedInPart() throws {
        let sold = try order(
            """
            {"id":12,"currency":"EUR","status":"processing","total":"20.00","line_items":[{"name":"A","total":"20.00"}],
             "refunds":[{"id":3,"reason":"","total":"-4.50"}]}
            """)
        #expect(sold.notices == ["Order 12 lists refunds of 4.50 EUR; they do not change what is charged."])
        let nothing = #"{"id":13,"currency":"EUR","total":"0.00","line_items":[{"name":"Free","total":"0.00"}]}"#
        #expect(refusal(nothing).contains("its total is zero"))
    }

    @Test("emoji, entities, add-ons, variations and subscriptions")
    func texts() throws {
        let sold = try order(
            """
            {"id":14,"currency":"GBP","total":"12.00","line_items":[{"name":"Cake 🎂 &#8211; “large” &amp; round",
             "quantity":1,"total":"12.00","variation_id":9,"parent_name":"Cake","meta_data":[
             {"key":"pa_size","value":"l","display_key":"Size","display_value":"L"},
             {"key":"Engraving (+&pound;2.00)","value":"👩‍🍳 Anna","display_key":"Engraving (+&pound;2.00)","display_value":"👩‍🍳 Anna"},
             {"key":"_reduced_stock","value":"1"},{"key":"_wcs_migrated","value":{"a":[1,2]}},{"key":"null","value":null}]}],
             "meta_data":[{"key":"_subscription_renewal","value":"77"},{"key":"_wcpdf","value":[{"x":{"y":null}}]}]}
            """)
        #expect(sold.lines.map(\.name) == ["Cake 🎂 – “large” & round"])
        #expect(
            sold.lines.first?.attributes == [
                OrderAttribute(name: "Size", value: "L"), OrderAttribute(name: "Engraving (+£2.00)", value: "👩‍🍳 Anna"),
            ])
    }
}
