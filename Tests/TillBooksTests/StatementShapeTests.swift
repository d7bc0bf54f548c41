import Testing
import TillAdyen
import TillBraintree
import TillCore
import TillPayPal
import TillProvider
import TillStatements
import TillStripe
import TillTestSupport

/// A cell or a value of another kind than a statement's reader knows is refused, or changes the line: nothing that is
/// not understood is taken for empty in silence.
@Suite("Statements with one value in another shape") struct StatementShapeTests {
    struct Table: Sendable, CustomTestStringConvertible {
        let format: any StatementFormat
        let text: String
        /// Columns that are not read, since nothing follows from them.
        let unread: Set<String>
        var testDescription: String { format.name }
    }

    private static let tables = [
        Table(
            format: StripePayoutReport(),
            text: """
                balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,payment_intent_id,\
                automatic_payout_id,customer_facing_amount,customer_facing_currency,payment_metadata[till_payment]
                txn_1,2026-11-20 10:00:00,eur,12.50,0.43,12.07,charge,ch_1,pi_1,po_1,14.00,usd,pay_1
                """, unread: []),
        Table(
            format: AdyenSettlementReport(),
            text: """
                Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,\
                Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,\
                Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),\
                Payment Method Variant,Modification Merchant Reference,Batch Number,Reserved4
                Co,Shop,PSP1,pay_1-a1,visa,2027-01-15 09:00:00,CET,Settled,MOD1,EUR,,12.50,1,EUR,,12.38,,0.04,0.01,0.07,\
                visaclassic,,4,
                """,
            unread: [
                "Company Account", "Merchant Account", "Payment Method", "Exchange Rate", "Payment Method Variant",
                // Payments are found by Adyen's names.
                "Merchant Reference",
                // In the payment's own currency the fee is gross less net.
                "Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)",
            ]),
        Table(
            format: BraintreeTransactionSearch(),
            text: """
                Transaction ID,Subscription ID,Transaction Type,Transaction Status,Created Datetime,Settlement Date,\
                Disbursement Date,Merchant Account,Currency ISO Code,Amount Authorized,Amount Submitted For Settlement,\
                Service Fee,Order ID,Refunded Transaction ID,Settlement Amount,Settlement Currency ISO Code,\
                Settlement Currency Exchange Rate
                pi_1,,sale,settled,01/15/2027 08:00:00,01/15/2027,01/17/2027,shop_eur,EUR,12.50,12.50,,pay_1-a1,,12.50,EUR,1
                """,
            unread: [
                "Created Datetime", "Settlement Date", "Merchant Account", "Amount Authorized",
                // What was paid out has a day of disbursement.
                "Transaction Status",
                "Settlement Currency Exchange Rate",
            ]),
    ]

    /// All but the text that it was read from.
    private static func shown(_ lines: [StatementLine]) -> [String] {
        lines.map { line in
            "\(line.id) \(line.kind) \(line.type) \(line.references) \(line.payment as Any) \(line.gross) \(line.fee) "
                + "\(line.net) \(line.customerFacing as Any) \(line.createdAt) \(line.payout as Any)"
        }
    }

    @Test("a table's cell", arguments: tables) func cells(table: Table) throws {
        let whole = try Self.shown(table.format.lines(of: Array(table.text.utf8)))
        #expect(!whole.isEmpty)
        var silent: [String] = []
        let variants = Shapes.variants(ofTable: table.text)
        for (place, text) in variants where !table.unread.contains(String(place.prefix { $0 != ":" })) {
            guard let read = try? table.format.lines(of: Array(text.utf8)) else { continue }
            if Self.shown(read) == whole { silent.append(place) }
            // An amount that cannot be read must not become another one.
            let sums = read.filter { ![.payout, .payoutFailure].contains($0.kind) }.map(\.net.minorUnits)
            if !place.contains("“”"), sums.contains(0) { silent.append("\(place): nothing") }
        }
        #expect(silent == [])
        #expect(variants.count > 15)
    }

    struct Document: Sendable, CustomTestStringConvertible {
        let format: any StatementFormat
        let text: String
        /// Places that are not read, since nothing follows from them.
        let unread: [String]
        var testDescription: String { format.name }
    }

    private static let documents = [
        Document(
            format: StripeBalanceTransactions(),
            text: """
                {"object":"list","has_more":false,"data":[
                {"id":"txn_2","object":"balance_transaction","amount":-1100,"fee":10,"net":-1110,"currency":"usd",
                 "created":2,"type":"refund","reporting_category":"refund","source":{"id":"re_1","object":"refund",
                 "amount":1000,"currency":"eur","payment_intent":"pi_1","charge":"ch_1",
                 "metadata":{"till_payment":"pay_1"}}}]}
                """, unread: ["object", "data[0].object", "data[0].source.object", "data[0].type"]),
        Document(
            format: PayPalTransactionSearch(),
            text: """
                {"transaction_details":[{"transaction_info":{"transaction_id":"T1","paypal_reference_id":"REF1",
                 "transaction_event_code":"T0006","transaction_initiation_date":"2026-11-20T04:03:52+0000",
                 "transaction_amount":{"currency_code":"USD","value":"465.00"},
                 "fee_amount":{"currency_code":"USD","value":"-13.79"},"transaction_status":"S",
                 "custom_field":"pay_1-a1"}}],"account_number":"XZ","page":1,"total_items":1,"total_pages":1}
                """, unread: ["account_number", "page", "total_items"]),
    ]

    @Test("a document's value", arguments: documents) func values(document: Document) throws {
        let json = try JSONValue(parsing: Array(document.text.utf8))
        let whole = try Self.shown(document.format.lines(of: json.bytes()))
        #expect(!whole.isEmpty)
        var silent: [String] = []
        for (place, changed) in Shapes.variants(of: json)
        where !document.unread.contains(where: { place.hasPrefix("\($0):") || place.hasPrefix("\($0).") }) {
            guard let read = try? document.format.lines(of: changed.bytes()) else { continue }
            if read.isEmpty || Self.shown(read) == whole { silent.append(place) }
        }
        #expect(silent == [])
    }
}
