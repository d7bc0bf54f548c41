import TillCore

extension ReceiptRenderer {
    /// The receipt as a complete page: one style block, no script, nothing loaded from anywhere.
    /// Send it with ``contentSecurityPolicy``.
    public static func html(_ receipt: ReceiptContent) -> String {
        var page = HTMLWriter()
        page.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Receipt ")
        page.bareText(receipt.orderNumber)
        page.markup(" – ")
        page.bareText(receipt.store.name)
        page.markup("</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>")
        page.markup(style)
        page.markup("</style>\n</head>\n<body>\n<main>\n")
        head(receipt, on: &page)
        lines(receipt, on: &page)
        totals(receipt, on: &page)
        transaction(receipt, on: &page)
        refunds(receipt, on: &page)
        page.markup("</main>\n</body>\n</html>\n")
        return page.html
    }

    private static func head(_ receipt: ReceiptContent, on page: inout HTMLWriter) {
        page.markup("<header>\n<h1>")
        page.text(receipt.store.name)
        page.markup("</h1>\n")
        for line in receipt.store.address {
            page.markup("<p>")
            page.text(line)
            page.markup("</p>\n")
        }
        if let taxID = receipt.store.taxID {
            page.markup("<p>Tax ID ")
            page.text(taxID)
            page.markup("</p>\n")
        }
        page.markup("</header>\n")
        page.markup(receipt.verdict.section)
        page.markup("<p class=\"headline\">")
        page.bareText(ReceiptText(receipt.verdict.headline))
        page.markup("</p>\n")
        if let explanation = receipt.explanation {
            page.markup("<p>")
            page.text(explanation)
            page.markup("</p>\n")
        }
        page.markup("</section>\n<table>\n<caption>Sale</caption>\n<tbody>\n")
        row("Date", ReceiptText(receipt.localTime(receipt.date)), on: &page)
        row("Order", receipt.orderNumber, on: &page)
        row("Payment", ReceiptText(receipt.paymentID.rawValue), on: &page)
        page.markup("</tbody>\n</table>\n")
    }

    private static func lines(_ receipt: ReceiptContent, on page: inout HTMLWriter) {
        guard !receipt.lineItems.isEmpty else { return }
        page.markup("<table>\n<caption>Items</caption>\n<thead><tr><th scope=\"col\">Item</th>")
        page.markup("<th scope=\"col\" class=\"n\">Quantity</th><th scope=\"col\" class=\"n\">Price</th>")
        page.markup("</tr></thead>\n<tbody>\n")
        for item in receipt.lineItems {
            page.markup("<tr><th scope=\"row\">")
            page.text(item.name)
            if !item.attributes.isEmpty {
                page.markup("<ul>")
                for attribute in item.attributes {
                    page.markup("<li>")
                    page.text(attribute.name)
                    page.markup(": ")
                    page.text(attribute.value)
                    page.markup("</li>")
                }
                page.markup("</ul>")
            }
            page.markup("</th><td class=\"n\">")
            page.text(item.quantity)
            page.markup("</td><td class=\"n\">")
            page.text(receipt.shown(item.amount))
            page.markup("</td></tr>\n")
        }
        page.markup("</tbody>\n</table>\n")
    }

    private static func totals(_ receipt: ReceiptContent, on page: inout HTMLWriter) {
        page.markup("<table>\n<caption>Total</caption>\n<tbody>\n")
        for summary in receipt.shownSummary { row(summary.label, receipt.shown(summary.amount), on: &page) }
        page.markup("<tr class=\"total\"><th scope=\"row\">Total</th><td class=\"n\">")
        page.text(receipt.shown(receipt.total))
        page.markup("</td></tr>\n")
        for movement in receipt.movements { row(movement.label, receipt.shown(movement.amount), on: &page) }
        page.markup("</tbody>\n</table>\n")
    }

    private static func transaction(_ receipt: ReceiptContent, on page: inout HTMLWriter) {
        page.markup("<table>\n<caption>Payment</caption>\n<tbody>\n")
        for fact in receipt.transaction.facts { row(fact.label, fact.value, on: &page) }
        page.markup("</tbody>\n</table>\n")
    }

    private static func refunds(_ receipt: ReceiptContent, on page: inout HTMLWriter) {
        guard !receipt.refunds.isEmpty else { return }
        page.markup("<table>\n<caption>Refunds</caption>\n<thead><tr><th scope=\"col\">Refund</th>")
        page.markup("<th scope=\"col\">Date</th><th scope=\"col\" class=\"n\">Amount</th></tr></thead>\n<tbody>\n")
        for refund in receipt.refunds {
            page.markup("<tr><th scope=\"row\">")
            page.markup(refund.label)
            if let reason = refund.reason {
                page.markup("<br>")
                page.text(reason)
            }
            page.markup("</th><td>")
            page.bareText(ReceiptText(receipt.localTime(refund.at)))
            page.markup("</td><td class=\"n\">")
            page.text(receipt.shown(refund.amount))
            page.markup("</td></tr>\n")
        }
        page.markup("</tbody>\n</table>\n")
    }

    private static func row(_ label: StaticString, _ value: ReceiptText, on page: inout HTMLWriter) {
        page.markup("<tr><th scope=\"row\">")
        page.markup(label)
        page.markup("</th><td class=\"n\">")
        page.text(value)
        page.markup("</td></tr>\n")
    }

    private static func row(_ label: ReceiptText, _ value: ReceiptText, on page: inout HTMLWriter) {
        page.markup("<tr><th scope=\"row\">")
        page.text(label)
        page.markup("</th><td class=\"n\">")
        page.text(value)
        page.markup("</td></tr>\n")
    }
}

extension ReceiptVerdict {
    /// The element around the headline; its class only colours what the words already say.
    fileprivate var section: StaticString {
        switch self {
        case .paid, .partlyPaid, .partlyRefunded, .refunded:
            "<section class=\"verdict\" aria-label=\"Result\">\n"
        case .held, .notPaid, .notConfirmed:
            "<section class=\"verdict warning\" aria-label=\"Result\">\n"
        }
    }
}
