/// The documentation page about errors, generated from the tables that the code runs on.
public enum CardReaderErrorPage {
    /// The page as Markdown.
    public static var markdown: String {
        var lines = [
            "# Errors of card readers", "",
            "This page is made from the code's own tables by `CardReaderErrorPage`; a test compares the two.", "",
            "Every error is a `CardReaderServiceError`: its case is the interaction that failed, its reason is one of "
                + "the reasons below, and its details keep the provider's code, decline and advice codes, sentence and "
                + "request id.", "",
            "## Interactions", "", "| interaction | can money have moved? |", "|---|---|",
        ]
        for interaction in CardReaderServiceError.Interaction.allCases {
            let canMove = interaction == .capturePayment || interaction == .refundPayment
            lines.append("| `\(interaction.rawValue)` | \(canMove ? "yes: see the reason" : "no") |")
        }
        lines += [
            "", "## Reasons", "",
            "*open*: a payment or refund that ends so may have happened; it is queried before anything else.", "",
            "| reason | what happened | outcome | a program may | a person should |", "|---|---|---|---|---|",
        ]
        for facts in UnderlyingErrorTable.all {
            lines.append(
                "| `\(facts.error.rawValue)` | \(facts.sentence) | \(facts.leavesOutcomeOpen ? "open" : "settled") | "
                    + "`\(facts.remedy.retry.rawValue)` | \(facts.remedy.sentence) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
