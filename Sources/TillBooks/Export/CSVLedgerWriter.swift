import TillCore

/// A writer with one row per posting (RFC 4180). Amounts are decimal numbers; text that a spreadsheet would interpret
/// as a formula begins with an apostrophe.
struct CSVLedgerWriter: LedgerWriter {
    var head: String {
        row(["date", "at", "source", "event", "payment", "order", "account", "amount", "currency"])
    }

    func declaration(of currency: Currency, on day: LedgerDay) -> String { "" }
    func declaration(of account: LedgerAccount, on day: LedgerDay) -> String { "" }

    func entry(_ entry: LedgerEntry, on day: LedgerDay) -> String {
        entry.postings.map { posting in
            row([
                "\(day)", "\(entry.at)", CSVText.cell(entry.origin),
                CSVText.cell(entry.narration { LedgerText.line($0, without: [], atMost: $1) }),
                CSVText.cell(entry.payment?.rawValue ?? ""), CSVText.cell(entry.orderNumber ?? ""),
                CSVText.cell(posting.account.name), posting.amount.decimalString, posting.amount.currency.code,
            ])
        }.joined()
    }

    func opening(_ balances: [LedgerBalances.Balance], on day: LedgerDay) -> String {
        balances.map {
            row(["\(day)", "", "", "opening balances", "", "", $0.account.name, $0.decimalString, $0.currency.code])
        }.joined()
    }

    func balances(_ balances: [LedgerBalances.Balance], on day: LedgerDay) -> String { "" }

    private func row(_ cells: [String]) -> String { cells.joined(separator: ",") + "\r\n" }
}

/// Cells of a CSV file.
package enum CSVText {
    /// Returns text as a cell: never a formula, without card numbers, quoted where necessary.
    package static func cell(_ text: String) -> String {
        var text = CardNumberMask.maskedForPeople(text)
        if let first = text.unicodeScalars.first, ["=", "+", "-", "@", "\t", "\r"].contains(first) {
            text = "'" + text
        }
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
