import Testing
import TillCore
import TillStatements
import TillStripe

@Suite("Stripe's statements")
struct StripeStatementTests {
    private let head =
        "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,payment_intent_id,"
        + "automatic_payout_id,customer_facing_amount,customer_facing_currency,payment_metadata[till_payment]\r\n"

    private func report(_ rows: String...) throws -> [StatementLine] {
        try StripePayoutReport().lines(of: Array((head + rows.joined(separator: "\r\n")).utf8))
    }

    @Test("the report of payouts is read exactly, and its payouts are the sums of their rows")
    func payouts() throws {
        let lines = try report(
            "txn_1,2026-11-20 10:00:00,eur,12.50,0.43,12.07,charge,ch_1,pi_1,po_1,12.50,eur,pay_1",
            "txn_2,2026-11-21 10:00:00,eur,-5.00,0.00,-5.00,refund,re_1,pi_1,po_1,,,",
            "txn_3,2026-11-21 11:00:00,jpy,1250,20,1230,charge,ch_2,pi_2,po_2,,,",
            "txn_4,2026-11-21 11:00:00,kwd,1.250,0.010,1.240,something,,,po_3,,,")
        #expect(lines.map(\.kind) == [.charge, .refund, .charge, .other, .payout, .payout, .payout])
        #expect(lines[0].net == Money(minorUnits: 1_207, currency: .eur))
        #expect(lines[0].payment?.rawValue == "pay_1" && lines[0].references == ["ch_1", "pi_1"])
        #expect(lines[3].net == Money(minorUnits: 1_240, currency: .kwd))
        #expect(lines[4].id == "payout:po_1" && lines[4].net == Money(minorUnits: -707, currency: .eur))
        #expect(lines[5].net == Money(minorUnits: -1_230, currency: .jpy))
        #expect(StripePayoutReport().recognizes(Array(head.utf8)))
    }

    @Test(
        "a row that does not add up, is too precise or has no time is named and nothing is taken",
        arguments: [
            "txn_1,2026-11-20 10:00:00,eur,12.50,0.43,12.08,charge,ch_1,pi_1,po_1,,,",
            "txn_1,2026-11-20 10:00:00,eur,12.505,0,12.505,charge,ch_1,pi_1,po_1,,,",
            "txn_1,2026-11-20 10:00:00,jpy,12.5,0,12.5,charge,ch_1,pi_1,po_1,,,",
            "txn_1,yesterday,eur,12.50,0,12.50,charge,ch_1,pi_1,po_1,,,",
            "txn_1,2026-11-20 10:00:00,eur,1e3,0,1e3,charge,ch_1,pi_1,po_1,,,",
            "txn_1,2026-11-20 10:00:00,xyz,1,0,1,charge,ch_1,pi_1,po_1,,,",
            "txn_1,2026-11-20 10:00:00,eur,1,0,1",
            "txn_1,\"2026-11-20 10:00:00,eur,1,0,1,charge,,,,,,",
            ",2026-11-20 10:00:00,eur,1,0,1,charge,,,,,,",
        ])
    func refused(row: String) throws {
        #expect(throws: StatementError.self) { try report(row) }
    }

    @Test("balance transactions are read with what they are about")
    func balanceTransactions() throws {
        let json = """
            {"object":"list","has_more":false,"data":[
            {"id":"txn_1","object":"balance_transaction","amount":1000,"fee":35,"net":965,"currency":"isk","created":1,
             "type":"charge","reporting_category":"charge","source":"ch_1"},
            {"id":"txn_2","object":"balance_transaction","amount":-1100,"fee":0,"net":-1100,"currency":"usd","created":2,
             "type":"refund","reporting_category":"refund","source":{"id":"re_1","object":"refund","amount":1000,
             "currency":"eur","payment_intent":"pi_1","charge":"ch_1","metadata":{"till_payment":"pay_1"}}},
            {"id":"txn_3","object":"balance_transaction","amount":-500,"fee":0,"net":-500,"currency":"eur","created":3,
             "type":"payout","reporting_category":"payout","source":"po_1"}]}
            """.replacing("\"isk\"", with: "\"eur\"")
        let format = StripeBalanceTransactions()
        #expect(format.recognizes(Array(json.utf8)))
        let lines = try format.lines(of: Array(json.utf8))
        #expect(lines[0].references == ["ch_1"] && lines[0].customerFacing == nil)
        #expect(lines[1].references == ["re_1", "pi_1", "ch_1"] && lines[1].payment?.rawValue == "pay_1")
        #expect(lines[1].customerFacing == Money(minorUnits: -1_000, currency: .eur))
        #expect(lines[2].id == "payout:po_1" && lines[2].payout == "po_1")
        let part = json.replacing("\"has_more\":false", with: "\"has_more\":true")
        #expect(throws: StatementError.self) { try format.lines(of: Array(part.utf8)) }
        let odd = json.replacing("\"net\":965", with: "\"net\":9.65")
        #expect(throws: StatementError.self) { try format.lines(of: Array(odd.utf8)) }
    }

    @Test("what cannot be read is named by line and column, and by the transaction")
    func named() throws {
        let row = "txn_1,2026-11-20 10:00:00,eur,12.50,0.43,12.07,charge,ch_1,pi_1,po_1,12.50,eur,\"a\nb\""
        let error = #expect(throws: StatementError.self) { try report(row, row.replacing("0.43", with: "0.435")) }
        #expect(error?.reason.hasPrefix("line 4, column “fee”") == true, "\(error?.reason ?? "")")
        let json = #"[{"id":"txn_1","object":"balance_transaction","currency":"eur","amount":1,"fee":0,"net":1}]"#
        let other = #expect(throws: StatementError.self) { try StripeBalanceTransactions().lines(of: Array(json.utf8)) }
        #expect(other?.reason == "transaction 1: “created” cannot be read")
    }
}
