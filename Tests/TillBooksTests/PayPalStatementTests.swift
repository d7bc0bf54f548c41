import Testing
import TillCore
import TillPayPal
import TillStatements

@testable import TillBooks

@Suite("PayPal's statements")
struct PayPalStatementTests {
    private func transaction(
        _ id: String, _ code: String, _ value: String, fee: String? = nil, currency: String = "USD",
        status: String = "S", reference: String = "REF1", custom: String = "pay_1-a1"
    ) -> String {
        let money = #"{"currency_code":"\#(currency)","value":"\#(value)"}"#
        let fee = fee.map { #","fee_amount":{"currency_code":"\#(currency)","value":"\#($0)"}"# } ?? ""
        return #"{"transaction_info":{"transaction_id":"\#(id)","paypal_reference_id":"\#(reference)","#
            + #""transaction_event_code":"\#(code)","transaction_initiation_date":"2026-11-20T04:03:52+0000","#
            + #""transaction_amount":\#(money)\#(fee),"transaction_status":"\#(status)","#
            + #""custom_field":"\#(custom)"}}"#
    }

    private func search(_ transactions: String..., pages: Int = 1) throws -> [StatementLine] {
        let json =
            #"{"transaction_details":[\#(transactions.joined(separator: ","))],"account_number":"XZ","#
            + #""page":1,"total_items":\#(transactions.count),"total_pages":\#(pages)}"#
        #expect(PayPalTransactionSearch().recognizes(Array(json.utf8)))
        return try PayPalTransactionSearch().lines(of: Array(json.utf8))
    }

    @Test("transactions are read exactly, with their fees; what moved no money is left out")
    func transactions() throws {
        let lines = try search(
            transaction("T1", "T0006", "465.00", fee: "-13.79"), transaction("T2", "T1107", "-5.00", fee: "0.15"),
            transaction("T3", "T0400", "-100.00"), transaction("T4", "T1300", "10.00"),
            transaction("T5", "T0006", "9.00", status: "P"), transaction("T6", "T0200", "-1250", currency: "JPY"),
            transaction("T7", "T1110", "-3.00"), transaction("T8", "T9999", "1.00"))
        #expect(lines.map(\.kind) == [.charge, .refund, .payout, .exchange, .transfer, .other])
        #expect(lines[0].fee.minorUnits == 1_379 && lines[0].net.minorUnits == 45_121)
        #expect(lines[1].fee.minorUnits == -15 && lines[1].net.minorUnits == -485)
        #expect(lines[0].payment?.rawValue == "pay_1" && lines[0].references == ["T1", "REF1"])
        #expect(lines[0].id == "T1/T0006/1795147432")
        #expect(lines[3].gross == Money(minorUnits: -1_250, currency: .jpy))
    }

    @Test("a page of several, and what cannot be read, is refused with its place")
    func refused() throws {
        #expect(throws: StatementError.self) { try search(transaction("T1", "T0006", "1.00"), pages: 2) }
        for bad in ["1.005", "1e3", "", "0x1"] {
            let error = #expect(throws: StatementError.self) {
                try search(transaction("T1", "T0006", "1.00"), transaction("T2", "T0006", bad))
            }
            #expect(error?.reason == "transaction 2: “transaction_amount” cannot be read")
        }
    }

    private static let report = """
        "RH",2026/11/21 02:44:19 -0700,"A","MERCHANT",009,
        "FH",01
        "SH",2026/11/20 00:00:00 -0700,2026/11/20 23:59:59 -0700,"MERCHANT",""
        "CH","Transaction ID","Invoice ID","PayPal Reference ID","PayPal Reference ID Type","Transaction Event Code",\
        "Transaction Initiation Date","Transaction Completion Date","Transaction  Debit or Credit",\
        "Gross Transaction Amount","Gross Transaction Currency","Fee Debit or Credit","Fee Amount","Fee Currency",\
        "Custom Field","Consumer ID","Payment Tracking ID","Store ID","Bank Reference ID","Credit Transactional Fee",\
        "Credit Promotional Fee","Credit Term"
        "SB","T1","pay_1-c1","","","T0006",2026/11/19 21:03:52 -0700,2026/11/19 21:03:52 -0700,"CR",46500,"USD","DR",\
        1379,"USD","pay_1-a1","","","","",,,
        "SB","T2","pay_1-r1","T1","TXN","T1107",2026/11/20 00:01:17 -0700,2026/11/20 00:01:17 -0700,"DR",500,"USD","CR",\
        15,"USD","","","","","",,,
        "SB","T3","","","","T0006",2026/11/20 00:01:17 -0700,2026/11/20 00:01:17 -0700,"CR",10000,"JPY","",,"","","","",\
        "","",,,
        "SF","USD",46500,500,"CR",1379
        "SC",3
        "RF","USD",1
        "RC",3
        "FF",3

        """

    private func read(_ text: String) throws -> [StatementLine] {
        try PayPalSettlementReport().lines(of: Array(text.utf8))
    }

    @Test("the settlement report has its signs in columns of their own, and the same names as the search")
    func settlement() throws {
        let lines = try read(Self.report)
        #expect(lines.map(\.kind) == [.charge, .refund, .charge])
        #expect(lines.map(\.gross.minorUnits) == [46_500, -500, 100])
        #expect(lines.map(\.fee.minorUnits) == [1_379, -15, 0])
        #expect(lines.map(\.gross.currency) == [.usd, .usd, .jpy])
        #expect(lines.map(\.payment?.rawValue) == ["pay_1", "pay_1", nil])
        #expect(try search(transaction("T1", "T0006", "465.00", fee: "-13.79")).map(\.id) == [lines[0].id])
        #expect(PayPalSettlementReport().recognizes(Array(Self.report.utf8)))
    }

    @Test(
        "a report that is cut off, a sign that is missing and an amount that is none are refused",
        arguments: [
            ("\"SF\"", "", "it ends with a transaction"),
            ("\"CR\",46500", "\"\",46500", "line 5, column “Transaction Debit or Credit”"),
            ("46500,\"USD\",\"DR\"", "465.00,\"USD\",\"DR\"", "line 5, column “Gross Transaction Amount”"),
            ("\"JPY\"", "\"KWD\"", "line 7, column “Gross Transaction Currency”"),
            ("2026/11/19 21:03:52 -0700,2026", "yesterday,2026", "line 5, column “Transaction Initiation Date”"),
            ("1379,\"USD\",\"pay", "1379,\"EUR\",\"pay", "line 5:"),
        ])
    func refused(text: String, instead: String, reason: String) throws {
        var changed = Self.report
        if instead.isEmpty {
            changed = String(changed.prefix(upTo: try #require(changed.firstRange(of: text)).lowerBound))
        } else {
            changed = changed.replacing(text, with: instead, maxReplacements: 1)
        }
        let error = #expect(throws: StatementError.self) { try read(changed) }
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
    }
}
