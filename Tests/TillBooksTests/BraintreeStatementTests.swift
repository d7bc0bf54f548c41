import Testing
import TillBraintree
import TillCore
import TillJournal
import TillProvider
import TillStatements
import TillTestSupport

@testable import TillBooks

@Suite("Braintree's export of transactions")
struct BraintreeStatementTests {
    private static let head =
        "Transaction ID,Subscription ID,Transaction Type,Transaction Status,Created Datetime,Settlement Date,"
        + "Disbursement Date,Merchant Account,Currency ISO Code,Amount Authorized,Amount Submitted For Settlement,"
        + "Service Fee,Order ID,Refunded Transaction ID,Settlement Amount,Settlement Currency ISO Code,"
        + "Settlement Currency Exchange Rate\n"
    private static let sale =
        "pi_1,,sale,settled,01/15/2027 08:00:00,01/15/2027,01/17/2027,shop_eur,EUR,12.50,12.50,,pay_1-a1,,12.50,EUR,1"
    private static let credit =
        "re_1,,credit,settled,01/16/2027 08:00:00,01/16/2027,01/18/2027,shop_eur,EUR,,5.00,0.00,pay_1-r1,pi_1,5.00,EUR,1"
    private static let waiting =
        "pi_2,,sale,settled,01/16/2027 08:00:00,01/16/2027,,shop_eur,EUR,7.00,7.00,,elsewhere,,,,"

    private func lines(_ rows: String...) throws -> [StatementLine] {
        try BraintreeTransactionSearch().lines(of: Array((Self.head + rows.joined(separator: "\n")).utf8))
    }

    @Test("what was paid out is two lines, the movement and its way to the bank; what was not is none")
    func read() throws {
        let lines = try lines(Self.sale, Self.credit, Self.waiting)
        #expect(lines.map(\.kind) == [.charge, .payout, .refund, .payout])
        #expect(lines.map(\.gross.minorUnits) == [1_250, -1_250, -500, 500])
        #expect(lines.allSatisfy { $0.fee.isZero && $0.payout == nil })
        #expect(lines.map(\.id) == ["pi_1", "pi_1/disbursed", "re_1", "re_1/disbursed"])
        #expect(lines[0].payment == PaymentID(rawValue: "pay_1") && lines[2].references == ["re_1", "pi_1"])
        #expect(lines[0].createdAt == Timestamp(internetTime: "2027-01-17T00:00:00Z"))
        #expect(BraintreeTransactionSearch().recognizes(Array(Self.head.utf8)))
    }

    @Test("a payout in another currency says what the customer saw")
    func otherCurrency() throws {
        let line = try lines(Self.sale.replacing("12.50,EUR,1", with: "15.42,USD,1.2336"))[0]
        #expect(line.gross == Money(minorUnits: 1_542, currency: .usd))
        #expect(line.customerFacing == Money(minorUnits: 1_250, currency: .eur))
    }

    @Test("both forms of a day are read, whatever stands behind it")
    func days() throws {
        for text in ["2027-01-17", "1/17/2027", "01/17/2027 00:00:00", "2027-01-17T12:00:00Z"] {
            let row = Self.sale.replacing("01/17/2027", with: text)
            #expect(try lines(row)[0].createdAt == Timestamp(internetTime: "2027-01-17T00:00:00Z"), "\(text)")
        }
    }

    @Test(
        "a row that cannot be read is named and nothing is taken",
        arguments: [
            (sale.replacing(",12.50,,pay", with: ",12.505,,pay"), "Amount Submitted For Settlement"),
            (sale.replacing(",12.50,EUR,1", with: ",,EUR,1"), "Settlement Amount"),
            (sale.replacing(",12.50,EUR,1", with: ",-12.50,EUR,1"), "Settlement Amount"),
            (sale.replacing("01/17/2027", with: "17/01/2027"), "Disbursement Date"),
            (sale.replacing(",sale,", with: ",mystery,"), "Transaction Type"),
            (sale.replacing(",,pay_1", with: ",1.00,pay_1"), "Service Fee"),
            (sale.replacing("pi_1,", with: "a b,"), "Transaction ID"),
            (sale.replacing("shop_eur,EUR", with: "shop_eur,EURO"), "Currency ISO Code"),
        ])
    func refused(row: String, column: String) throws {
        let error = #expect(throws: StatementError.self) { try lines(row) }
        #expect(error?.reason.hasPrefix("line 2, column “\(column)”") == true, "\(error?.reason ?? "")")
    }

    @Test("an export without a column that is needed is refused by that column's name")
    func missingColumn() {
        let bytes = Array(Self.head.replacing(",Settlement Amount", with: "").utf8)
        #expect(BraintreeTransactionSearch().recognizes(bytes))
        let error = #expect(throws: StatementError.self) { try BraintreeTransactionSearch().lines(of: bytes) }
        #expect(error?.reason == "it has no column “Settlement Amount”")
    }

    @Test("an export reconciles with the journal in parts, and the same money again doubles nothing")
    func reconciles() async throws {
        let braintree = ProviderName(rawValue: "braintree")
        let journal = MemoryJournal()
        try await LedgerSamples.write(
            LedgerSamples.taken(1, braintree) + LedgerSamples.back(1, 500), to: journal)
        let reconciliation = Reconciliation(
            journal, clock: ManualClock(LedgerSamples.start.adding(.days(30))), account: .main, mode: .live)
        func add(_ lines: [StatementLine]) async throws -> Reconciliation.Outcome {
            try await reconciliation.add(
                Reconciliation.Statement(
                    provider: braintree, providerAccount: "acct_1", lines: lines, lag: .days(8)))
        }
        let first = try await add(try lines(Self.sale))
        #expect(first.matched == 1 && first.posted == 1 && first.open == 0)
        let whole = try await add(try lines(Self.sale, Self.credit, Self.waiting))
        #expect(whole.known == 2 && whole.matched == 1 && whole.posted == 1 && whole.open == 0)
        let (balances, _, _) = try await Ledger(journal, account: nil).balances()
        #expect(balances.isZero && balances.sum(of: [.receivable], in: .eur) == 0)
        #expect(balances.sum(of: [.inTransit], in: .eur) == 750)
        #expect(balances.sum(of: [.suspense, .fees], in: .eur) == 0)
    }
}
