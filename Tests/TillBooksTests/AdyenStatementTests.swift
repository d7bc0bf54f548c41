import Testing
import TillAdyen
import TillCore
import TillJournal
import TillStatements
import TillTestSupport

@testable import TillBooks

@Suite("Adyen's settlement details report")
struct AdyenStatementTests {
    private static let head =
        "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,"
        + "Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,"
        + "Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),"
        + "Payment Method Variant,Modification Merchant Reference,Batch Number,Reserved4\n"

    private func lines(_ rows: String...) throws -> [StatementLine] {
        try AdyenSettlementReport().lines(of: Array((Self.head + rows.joined(separator: "\n")).utf8))
    }

    private static let settled =
        "Co,Shop,PSP1,pay_1-a1,visa,2027-01-15 09:00:00,CET,Settled,MOD1,EUR,,12.50,1,EUR,,12.38,,0.04,0.01,0.07,"
        + "visaclassic,,4,"
    private static let refunded =
        "Co,Shop,PSP1,pay_1-a1,visa,2027-01-16 09:00:00,CET,Refunded,MOD2,EUR,5.00,,1,EUR,5.10,,,0.10,,,visaclassic,,4,"
    private static let fee = "Co,Shop,,,,2027-01-17 09:00:00,CET,Fee,Transaction Fees January,,,,,EUR,1.20,,,,,,,,4,"
    private static let reserve = "Co,Shop,,,,2027-01-17 09:00:00,CET,DepositCorrection,Reserve,,,,,EUR,1.08,,,,,,,,4,"
    private static let payout =
        "Co,Shop,,,,2027-01-17 23:00:00,CET,MerchantPayout,\"TX4, batch 4\",,,,,EUR,5.00,,,,,,,,4,"

    @Test("entries are read exactly, each with its sign, its fee and its batch")
    func read() throws {
        let lines = try lines(Self.settled, Self.refunded, Self.fee, Self.reserve, Self.payout)
        #expect(lines.map(\.kind) == [.charge, .refund, .fee, .transfer, .payout])
        #expect(lines.map(\.gross.minorUnits) == [1_250, -500, -120, -108, -500])
        #expect(lines.map(\.fee.minorUnits) == [12, 10, 0, 0, 0])
        #expect(lines.map(\.net.minorUnits) == [1_238, -510, -120, -108, -500])
        #expect(Set(lines.map(\.payout)) == ["batch 4"])
        #expect(lines[0].createdAt == Timestamp(internetTime: "2027-01-15T08:00:00Z"))
        #expect(lines[0].id == "4/Settled/PSP1/MOD1" && lines[0].references.prefix(2) == ["MOD1", "PSP1"])
        #expect(AdyenSettlementReport().recognizes(Array(Self.head.utf8)))
    }

    @Test("the gross column that is filled counts, whichever it is; a chargeback costs more than its amount")
    func columns() throws {
        let lines = try lines(
            Self.settled.replacing("EUR,,12.50", with: "EUR,12.50,"),
            "Co,Shop,PSP3,r,visa,2027-01-15 09:00:00,CEST,Chargeback,MOD3,EUR,349.99,,1,EUR,357.49,,7.5,,,,,,4,")
        #expect(lines[0].gross.minorUnits == 1_250 && lines[0].fee.minorUnits == 12)
        #expect(lines[1].gross.minorUnits == -34_999 && lines[1].fee.minorUnits == 750)
    }

    @Test("settlement in another currency has the sum of its fees, and what the customer saw")
    func otherCurrency() throws {
        let line = try lines(
            "Co,Shop,PSP4,r,visa,2027-01-15 09:00:00,UTC,Settled,MOD4,JPY,,2031,0.0061,EUR,,12.20,0.10,0.05,0.05,0.10,"
                + ",,4,")[0]
        #expect(line.customerFacing == Money(minorUnits: 2_031, currency: .jpy))
        #expect(line.gross == Money(minorUnits: 1_250, currency: .eur) && line.fee.minorUnits == 30)
    }

    @Test("entries without a reference that are alike are two, in each reading")
    func alike() throws {
        let first = try lines(Self.fee, Self.fee).map(\.id)
        #expect(Set(first).count == 2)
        #expect(try lines(Self.fee, Self.fee).map(\.id) == first)
    }

    @Test(
        "a row that cannot be read is named and nothing is taken",
        arguments: [
            (settled.replacing("12.38", with: "12.385"), "line 2, column “Net Credit (NC)”"),
            (settled.replacing("CET", with: "XYZ"), "line 2, column “TimeZone”"),
            (settled.replacing("EUR,,12.38", with: "EUR,1,12.38"), "line 2, column “Net Debit (NC)”"),
            (settled.replacing("EUR,,12.50", with: "EUR,1,12.50"), "line 2, column “Gross Debit (GC)”"),
            (settled.replacing("2027-01-15 09:00:00", with: "15/01/2027"), "line 2, column “Creation Date”"),
            (settled.replacing(",4,", with: ",,"), "line 2, column “Batch Number”"),
        ])
    func refused(row: String, place: String) throws {
        let error = #expect(throws: StatementError.self) { try lines(row) }
        #expect(error?.reason.hasPrefix(place) == true, "\(error?.reason ?? "")")
    }

    @Test("a batch reconciles with the journal, and its payout is the sum of its entries")
    func reconciles() async throws {
        let adyen = ProviderName(rawValue: "adyen")
        let journal = MemoryJournal()
        var events = LedgerSamples.taken(1, adyen)
        // Adyen's name for a sale that is taken at once has a mark of its own.
        events[1] = .authorized(
            LedgerSamples.attempt(),
            Authorization(
                reference: ProviderReference(rawValue: "PSP1.now"), amount: LedgerSamples.eur(1_250), isCaptured: true))
        events = Array(events.prefix(2))
        events += [
            .refundStarted(LedgerSamples.refund(), LedgerSamples.attempt(), LedgerSamples.eur(500), reason: nil),
            .refunded(LedgerSamples.refund(), ProviderReference(rawValue: "MOD2")),
        ]
        try await LedgerSamples.write(events, to: journal)
        let reconciliation = Reconciliation(
            journal, clock: ManualClock(LedgerSamples.start.adding(.days(30))), account: .main, mode: .live)
        let statement = Reconciliation.Statement(
            provider: adyen, providerAccount: "acct_1",
            lines: try lines(Self.settled, Self.refunded, Self.fee, Self.reserve, Self.payout), lag: .days(8))
        let found = try await reconciliation.add(statement)
        #expect(found.matched == 2 && found.posted == 3 && found.open == 0 && found.expected == 0)
        let (balances, _, _) = try await Ledger(journal, account: nil).balances()
        #expect(balances.isZero && balances.sum(of: [.receivable], in: .eur) == 0)
        #expect(balances.sum(of: [.fees], in: .eur) == 142 && balances.sum(of: [.inTransit], in: .eur) == 608)
    }
}
