import TillCore

/// A writer for beancount's format, version 3. Beancount tolerates small differences by default, so the tolerance is
/// set to zero.
struct BeancountWriter: LedgerWriter {
    var head: String {
        """
        option "title" "Till"
        option "tolerance_multiplier" "0"

        """
    }

    func declaration(of currency: Currency, on day: LedgerDay) -> String { "\(day) commodity \(currency.code)\n" }

    func declaration(of account: LedgerAccount, on day: LedgerDay) -> String { "\(day) open \(account.name)\n" }

    func entry(_ entry: LedgerEntry, on day: LedgerDay) -> String {
        var text = "\n\(day) * \"\(quoted(entry.payee))\" \"\(entry.narration(quoted))\"\n"
        text += "  source: \"\(quoted(entry.origin))\"\n  at: \"\(entry.at)\"\n"
        if let payment = entry.payment { text += "  payment: \"\(quoted(payment.rawValue))\"\n" }
        return text + entry.postings.map { "  \($0.line)\n" }.joined()
    }

    func opening(_ balances: [LedgerBalances.Balance], on day: LedgerDay) -> String {
        "\n\(day) * \"\" \"opening balances\"\n" + balances.map { "  \($0.line)\n" }.joined()
    }

    /// Beancount's balance assertions apply at the beginning of a day.
    func balances(_ balances: [LedgerBalances.Balance], on day: LedgerDay) -> String {
        "\n"
            + balances.map {
                "\(day.next) balance \($0.line)\n"
            }.joined()
    }

    private func quoted(_ text: String) -> String { quoted(text, LedgerText.maximumCharacters) }
    private func quoted(_ text: String, _ limit: Int) -> String {
        LedgerText.line(text, without: ["\"", "\\"], atMost: limit)
    }
}
