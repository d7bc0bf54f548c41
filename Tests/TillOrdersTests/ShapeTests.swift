import Testing
import TillCore
import TillOrders
import TillTestSupport

/// A value of another kind than its reader knows is refused, or named, or changes what is shown: nothing that is not
/// understood is taken for empty in silence.
@Suite("Orders with one value in another shape") struct OrderShapeTests {
    private static let wooCommerce = """
        {"id":71,"number":"A-71","currency":"EUR","status":"refunded","date_paid":"2026-11-20T10:00:00",
         "payment_method_title":"Card","prices_include_tax":false,"discount_total":"1.00","discount_tax":"0.19",
         "shipping_total":"5.00","shipping_tax":"0.95","cart_tax":"1.71","total":"16.66","total_tax":"2.66",
         "line_items":[{"name":"Bread","quantity":2,"sku":"b-1","subtotal":"10.00","subtotal_tax":"1.90",
          "total":"9.00","total_tax":"1.71","price":4.5,"taxes":[{"id":1,"total":"1.71"}],
          "meta_data":[{"key":"size","value":"L"}]}],
         "shipping_lines":[{"method_title":"Post","total":"5.00","total_tax":"0.95"}],
         "coupon_lines":[{"code":"ten","discount":"1.00","discount_tax":"0.19"}],
         "tax_lines":[{"label":"VAT","tax_total":"1.71","shipping_tax_total":"0.95"}],
         "refunds":[{"id":1,"total":"-2.00"}]}
        """
    private static let payPal = """
        {"id":"5O190127TN364715T","status":"COMPLETED","intent":"CAPTURE","update_time":"2026-11-20T10:00:00Z",
         "purchase_units":[{"invoice_id":"o-1","description":"Two things",
          "amount":{"currency_code":"EUR","value":"13.90","breakdown":{
           "item_total":{"currency_code":"EUR","value":"10.00"},"tax_total":{"currency_code":"EUR","value":"1.90"},
           "shipping":{"currency_code":"EUR","value":"2.00"}}},
          "items":[{"name":"Tea","sku":"t-1","quantity":"2","unit_amount":{"currency_code":"EUR","value":"5.00"},
           "tax":{"currency_code":"EUR","value":"0.95"}}],
          "payments":{"captures":[{"id":"c1","status":"COMPLETED"}]}}]}
        """
    /// What is not read, since nothing follows from it.
    private static let unread = [
        "prices_include_tax", "line_items[0].subtotal_tax", "line_items[0].taxes[0].id",
        "coupon_lines[0].discount_tax", "refunds[0].id", "purchase_units[0].payments.captures[0].id",
        // Plugins hang anything there; what is no text is not shown.
        "line_items[0].meta_data[0]",
        // An invoice's number is the better name, and words that nobody knows are PayPal's.
        "id: a text", "intent: a text", "purchase_units[0].payments.captures[0].status: a text",
    ]

    @Test("is refused, or says so", arguments: [wooCommerce, payPal]) func shapes(text: String) throws {
        let document = try JSONValue(parsing: Array(text.utf8))
        let whole = try Order(document: document.bytes())
        var silent: [String] = []
        let variants = Shapes.variants(of: document)
        for (place, changed) in variants where !Self.unread.contains(where: { place.hasPrefix($0) }) {
            guard let read = try? Order(document: changed.bytes()) else { continue }
            if read.notices.count <= whole.notices.count, read == whole { silent.append(place) }
            if read.total != whole.total { silent.append("\(place): another total") }
        }
        #expect(silent == [])
        #expect(variants.count > 100)
    }
}
