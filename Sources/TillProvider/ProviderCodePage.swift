public import TillCore

/// The documentation page of provider codes, generated from the tables that the adapters use.
public enum ProviderCodePage {
    /// Returns the page as Markdown.
    /// - Parameter modules: the providers, in page order.
    public static func markdown(_ modules: [any ProviderModule.Type]) -> String {
        var lines = [
            "# Codes of providers", "",
            "This page is made from the tables that the providers' adapters decide by: `till codes --markdown`. A test "
                + "holds the two equal. `till codes CODE` says what one code means.", "",
            "A code that is in no table keeps its raw value. Whether it moved money is then decided by the answer's "
                + "status and, for captures, voids and refunds, by a query.", "",
            "| money | what may be said |", "|---|---|",
        ]
        lines += CodeMoney.allCases.map { "| `\($0.rawValue)` | \($0.sentence) |" }
        lines += ["", "| try again | when it can help |", "|---|---|"]
        lines += CodeRetry.allCases.map { "| `\($0.rawValue)` | \($0.sentence) |" }
        for module in modules where !module.codes.isEmpty {
            lines += ["", "## \(module.title)"]
            for table in module.codes { lines += section(table) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ table: ProviderCodeTable) -> [String] {
        let isNamed = table.codes.contains { $0.name != nil }
        var lines = ["", "### \(table.title)", "", "`\(table.name)`. Source: \(table.source).", ""]
        lines.append("| code |\(isNamed ? " name |" : "") money | try again | our reason |")
        lines.append("|---|\(isNamed ? "---|" : "")---|---|---|")
        for code in table.codes {
            let name = isNamed ? " \(code.name ?? "") |" : ""
            lines.append(
                "| `\(code.rawValue)` |\(name) `\(code.money.rawValue)` | `\(code.retry.rawValue)` | "
                    + "`\(code.reason.rawValue)` |")
        }
        return lines
    }
}

extension CodeMoney {
    /// The statement about the money, as one sentence.
    public var sentence: String {
        switch self {
        case .nothingMoved: "This call moved nothing."
        case .movedAlready: "It seems to be done already: nothing is reported before the provider is queried."
        case .notKnown: "The code does not say: nothing is reported before the provider is queried."
        case .ourSetup: "This call moved nothing: the shop's account, key or request is wrong."
        }
    }
}

extension CodeRetry {
    /// The circumstances in which a retry can help, as one sentence.
    public var sentence: String {
        switch self {
        case .no: "Never."
        case .later: "The same request, a while later."
        case .changed: "With another card, other input or another amount."
        case .afterSetup: "Once the shop's account, key or settings are corrected."
        case .afterQuery: "If a query shows that it is not done."
        }
    }
}
