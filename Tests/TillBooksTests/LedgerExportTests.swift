import Foundation
import Testing
import TillCore
import TillJournal

@testable import TillBooks

@Suite("The export of the ledger")
struct LedgerExportTests {
    private typealias Samples = LedgerSamples

    private func export(_ format: LedgerExport.Format, from: String? = nil, to: String? = nil) async throws -> String {
        let journal = MemoryJournal()
        try await Samples.write(Samples.taken(1, tip: 150), 1, to: journal)
        try await Samples.write(Samples.taken(2), 2, at: Samples.start.adding(.days(2)), to: journal)
        // A clock that was set back.
        try await Samples.write(Samples.taken(3), 3, at: Samples.start.adding(.days(1)), to: journal)
        var text = ""
        try await LedgerExport(format, from: from.flatMap { LedgerDay($0) }, to: to.flatMap { LedgerDay($0) })
            .write(Ledger(journal, account: nil)) { text += $0 }
        return text
    }

    @Test("beancount: exact, declared before use, balances after each day")
    func beancount() async throws {
        let text = try await export(.beancount)
        #expect(text.hasPrefix("option \"title\" \"Till\"\noption \"tolerance_multiplier\" \"0\"\n"))
        #expect(text.contains("2027-01-15 open Assets:Receivable:Stripe:Acct-1\n"))
        #expect(text.contains("  Liabilities:Tips  -1.50 EUR\n"))
        #expect(text.contains("2027-01-16 balance Assets:Receivable:Stripe:Acct-1  14.00 EUR\n"))
        #expect(text.contains("2027-01-18 balance Assets:Receivable:Stripe:Acct-1  39.00 EUR\n"))
    }

    @Test("days never go back, and the moment of each entry stands beside it")
    func ordered() async throws {
        let days = try await export(.hledger).split(separator: "\n").filter { $0.hasPrefix("2027") }.map {
            $0.prefix(10)
        }
        #expect(days == days.sorted() && days.count == 5)
        #expect(try await export(.hledger).contains("    ; at: 2027-01-16T"))
    }

    @Test("a part of the time begins with what there was, and ends with its last day")
    func range() async throws {
        let text = try await export(.hledger, from: "2027-01-17")
        #expect(text.contains("2027-01-17 * opening balances\n    Assets:Receivable:Stripe:Acct-1  14.00 EUR\n"))
        #expect(text.contains("  0 EUR = 39.00 EUR\n"))
        let first = try await export(.hledger, to: "2027-01-16")
        #expect(first.contains("  0 EUR = 14.00 EUR\n") && !first.contains("2027-01-17"))
        let none = try await export(.beancount, from: "2028-01-01")
        #expect(none.contains("2028-01-01 * \"\" \"opening balances\"\n") && !none.contains("capture.succeeded"))
    }

    @Test("a spreadsheet takes no text for a formula")
    func formulas() async throws {
        #expect(CSVText.cell("=1+1") == "'=1+1")
        #expect(CSVText.cell("@a") == "'@a")
        #expect(CSVText.cell("\tx") == "'\tx")
        #expect(CSVText.cell("-1,\"") == "\"'-1,\"\"\"")
        #expect(CSVText.cell("o-1") == "o-1")
        #expect(CSVText.cell("4242 4242 4242 4242") == "**** **** **** 4242")
        let rows = try await export(.csv).components(separatedBy: "\r\n")
        #expect(rows[0] == "date,at,source,event,payment,order,account,amount,currency")
        #expect(rows[2].hasSuffix(",Income:Sales,-12.50,EUR"))
    }

    @Test("yen have no decimal places and dinars three")
    func exponents() async throws {
        let journal = MemoryJournal()
        for (number, currency) in [Currency.jpy, .kwd].enumerated() {
            let amount = Money(minorUnits: 1_250, currency: currency)
            try await Samples.write(
                [
                    Samples.started(number + 1, amount: amount),
                    .authorized(
                        Samples.attempt(number + 1), Samples.authorization(number + 1, amount, isCaptured: true)),
                ], number + 1, amount: amount, to: journal)
        }
        var text = ""
        try await LedgerExport(.hledger).write(Ledger(journal, account: nil)) { text += $0 }
        #expect(text.contains("commodity 1. JPY\n") && text.contains("commodity 1.000 KWD\n"))
        #expect(text.contains("Acct-1  1250 JPY\n") && text.contains("Acct-1  1.250 KWD\n"))
    }

    @Test("what others wrote ends no line and no string")
    func hostileText() {
        #expect(LedgerText.line("a\"\n2026-01-01 open X;|", without: ["\"", ";", "|"]) == "a  2026-01-01 open X  ")
        #expect(LedgerText.line(String(repeating: "x", count: 999), without: []).count == 120)
    }

    @Test("only days that there are")
    func days() {
        #expect(LedgerDay("2026-02-29") == nil && LedgerDay("2026-2-1") == nil && LedgerDay("x") == nil)
        #expect(LedgerDay("2028-02-29")?.next.description == "2028-03-01")
        #expect(LedgerDay(of: Timestamp(milliseconds: -1)).description == "1969-12-31")
    }
}
