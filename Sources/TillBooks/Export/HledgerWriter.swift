import TillCore

/// A writer for hledger's journal format that passes `hledger check -s`: every account and currency is declared, and
/// every posting has an amount.
struct HledgerWriter: LedgerWriter {
    var head: String { "decimal-mark .\n" }

    func declaration(of currency: Currency, on day: LedgerDay) -> String {
        "commodity 1\(currency.exponent == 0 ? "." : "." + String(repeating: "0", count: currency.exponent)) "
            + "\(currency.code)\n"
    }

    func declaration(of account: LedgerAccount, on day: LedgerDay) -> String { "account \(account.name)\n" }

    func entry(_ entry: LedgerEntry, on day: LedgerDay) -> String {
        var text = "\n\(day) * \(plain(entry.payee)) | \(entry.narration(plain))\n"
        text += "    ; source: \(plain(entry.origin))\n    ; at: \(entry.at)\n"
        if let payment = entry.payment { text += "    ; payment: \(plain(payment.rawValue))\n" }
        return text + entry.postings.map { "    \($0.line)\n" }.joined()
    }

    func opening(_ balances: [LedgerBalances.Balance], on day: LedgerDay) -> String {
        "\n\(day) * opening balances\n" + balances.map { "    \($0.line)\n" }.joined()
    }

    /// Returns an entry that moves no money and asserts the balances after it.
    func balances(_ balances: [LedgerBalances.Balance], on day: LedgerDay) -> String {
        var text = "\n\(day) * balances\n"
        for balance in balances {
            let currency = balance.currency
            text += "    \(balance.account.name)  0 \(currency) = \(balance.decimalString) \(currency)\n"
        }
        return text
    }

    private func plain(_ text: String) -> String { plain(text, LedgerText.maximumCharacters) }
    private func plain(_ text: String, _ limit: Int) -> String {
        LedgerText.line(text, without: [";", "|"], atMost: limit)
    }
}
