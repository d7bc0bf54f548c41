import TillCore

extension ReceiptRenderer {
    /// The receipt as plain text for a printer or a terminal of fixed columns; no line is wider.
    /// - Parameter columns: 48 is common for 80 mm paper, 32 for 58 mm; fewer than 24 is taken as 24.
    public static func text(_ receipt: ReceiptContent, columns: Int = 48) -> String {
        var page = TextPage(columns: max(24, columns))
        head(receipt, on: &page)
        page.rule()
        for item in receipt.lineItems {
            page.row("\(item.quantity.plain) x \(item.name.plain)", receipt.shown(item.amount).plain)
            for attribute in item.attributes {
                page.line("\(attribute.name.plain): \(attribute.value.plain)", indent: 4)
            }
        }
        if !receipt.lineItems.isEmpty { page.rule() }
        for row in receipt.shownSummary { page.row(row.label.plain, receipt.shown(row.amount).plain) }
        page.row("TOTAL", receipt.shown(receipt.total).plain)
        for row in receipt.movements { page.row(row.label.description, receipt.shown(row.amount).plain) }
        page.rule()
        for fact in receipt.transaction.facts { page.row(fact.label.description, fact.value.plain) }
        if !receipt.refunds.isEmpty {
            page.rule()
            for refund in receipt.refunds {
                page.row(refund.label.description, receipt.shown(refund.amount).plain)
                page.line(receipt.localTime(refund.at), indent: 4)
                if let reason = refund.reason { page.line(reason.plain, indent: 4) }
            }
        }
        return page.text
    }

    private static func head(_ receipt: ReceiptContent, on page: inout TextPage) {
        page.centered(receipt.store.name.plain)
        for line in receipt.store.address { page.centered(line.plain) }
        if let taxID = receipt.store.taxID { page.centered("Tax ID \(taxID.plain)") }
        page.rule()
        page.centered(receipt.verdict.headline)
        if let explanation = receipt.explanation { page.centered(explanation.plain) }
        page.rule()
        page.row("Date", receipt.localTime(receipt.date))
        page.row("Order", receipt.orderNumber.plain)
        page.row("Payment", receipt.paymentID.rawValue)
    }
}

/// Lines of a fixed width.
private struct TextPage {
    let columns: Int
    private(set) var text = ""

    init(columns: Int) { self.columns = columns }

    mutating func rule() { put(String(repeating: "-", count: columns)) }

    mutating func centered(_ text: String) {
        for line in clean(text, columns) { put(padding((columns - DisplayColumns.count(line)) / 2) + line) }
    }

    mutating func line(_ text: String, indent: Int) {
        for line in clean(text, columns - indent) { put(padding(indent) + line) }
    }

    /// A label on the left and a value on the right, on the label's last line if there is room.
    mutating func row(_ label: String, _ value: String) {
        let values = clean(value, columns)
        let valueWidth = values.map { DisplayColumns.count($0) }.max() ?? 0
        let sharesLine = values.count == 1 && valueWidth <= columns - 12
        var labels = clean(label, sharesLine ? columns - valueWidth - 1 : columns)
        if sharesLine, let value = values.first {
            let last = labels.popLast() ?? ""
            for line in labels { put(line) }
            put(last + padding(columns - DisplayColumns.count(last) - valueWidth) + value)
        } else {
            for line in labels { put(line) }
            for line in values { put(padding(columns - DisplayColumns.count(line)) + line) }
        }
    }

    private func clean(_ text: String, _ width: Int) -> [String] {
        DisplayColumns.wrap(ReceiptText(text).plain, width: width)
    }

    private func padding(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    private mutating func put(_ line: String) {
        text += line
        text += "\n"
    }
}
