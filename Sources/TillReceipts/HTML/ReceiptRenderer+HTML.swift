extension ReceiptRenderer {
    /// Renders the receipt as a complete page: one style block, no script, no external resources. Serve it with
    /// ``contentSecurityPolicy``.
    public static func html(_ receipt: ReceiptContent) -> String {
        String(decoding: htmlBytes(ReceiptDocument(receipt)), as: UTF8.self)
    }

    /// Renders a receipt layout as a UTF-8 page.
    public static func htmlBytes(_ document: ReceiptDocument) -> [UInt8] {
        var page = HTMLWriter()
        page.markup("<!DOCTYPE html>\n<html lang=\"")
        page.attribute(document.language)
        page.markup(document.isRightToLeft ? "\" dir=\"rtl\">" : "\">")
        page.markup("\n<head>\n<meta charset=\"utf-8\">\n<title>")
        page.bareText(document.title)
        page.markup("</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>")
        page.markup(style)
        page.markup("</style>\n</head>\n<body>\n<main>\n")
        for block in document.blocks { write(block, on: &page) }
        page.markup("</main>\n</body>\n</html>\n")
        return page.bytes
    }

    private static func write(_ block: ReceiptDocument.Block, on page: inout HTMLWriter) {
        switch block {
        case .image(let image): picture(image, name: nil, class: "logo", on: &page)
        case .heading(let text):
            page.markup("<h1>")
            page.text(text)
            page.markup("</h1>\n")
        case .line(let text):
            page.markup("<p class=\"c\">")
            page.text(text)
            page.markup("</p>\n")
        case .named(let name, let text, let isGap):
            page.markup(isGap ? "<p class=\"c gap\">" : "<p class=\"c\">")
            page.text(name)
            page.markup(" ")
            page.text(text)
            page.markup("</p>\n")
        case .notice(let headline, let sentence, let label, let isWarning):
            page.markup(isWarning ? "<section class=\"verdict warning\"" : "<section class=\"verdict\"")
            page.markup(" aria-label=\"")
            page.bareText(label)
            page.markup("\">\n<p class=\"headline\">")
            page.bareText(headline)
            page.markup("</p>\n")
            if let sentence {
                page.markup("<p>")
                page.text(sentence)
                page.markup("</p>\n")
            }
            page.markup("</section>\n")
        case .table(let table): write(table, on: &page)
        case .code(let code, let caption, let isLink): write(code, caption, isLink, on: &page)
        case .signature(let label):
            page.markup("<p class=\"sign\">")
            page.bareText(label)
            page.markup("</p>\n")
        case .rule, .cut: break
        }
    }

    private static func write(_ table: ReceiptDocument.Table, on page: inout HTMLWriter) {
        page.markup(table.holdsAmounts ? "<table class=\"sum\">\n<caption>" : "<table>\n<caption>")
        page.bareText(table.caption)
        page.markup("</caption>\n")
        if table.columns.count == 3 {
            page.markup("<thead><tr>")
            for (index, column) in table.columns.enumerated() {
                page.markup(index == 0 ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"n\">")
                page.bareText(column)
                page.markup("</th>")
            }
            page.markup("</tr></thead>\n")
        }
        page.markup("<tbody>\n")
        for row in table.rows {
            page.markup(row.isStrong ? "<tr class=\"total\">" : row.isGap ? "<tr class=\"gap\">" : "<tr>")
            page.markup("<th scope=\"row\">")
            page.text(row.label)
            if !row.details.isEmpty {
                page.markup("<ul>")
                for detail in row.details {
                    page.markup("<li>")
                    page.text(detail)
                    page.markup("</li>")
                }
                page.markup("</ul>")
            }
            if let middle = row.middle {
                page.markup("</th><td class=\"n m\">")
                page.text(middle)
                page.markup("</td>")
            } else {
                page.markup("</th>")
            }
            page.markup(
                table.holdsAmounts
                    ? "<td class=\"n a\">" : row.value.isOneLongWord ? "<td class=\"n l\">" : "<td class=\"n\">")
            page.text(row.value)
            page.markup("</td></tr>\n")
        }
        page.markup("</tbody>\n</table>\n")
    }

    private static func write(
        _ code: CodeText, _ caption: ReceiptText, _ isLink: Bool, on page: inout HTMLWriter
    ) {
        page.markup("<figure>")
        if let image = QRCode(code)?.image(quiet: 4) { picture(image, name: caption, class: "code", on: &page) }
        page.markup("<figcaption>")
        if isLink, code.text.hasPrefix("https://") || code.text.hasPrefix("http://") {
            page.markup("<a rel=\"noreferrer\" href=\"")
            page.attribute(code.text)
            page.markup("\">")
            page.bareText(caption)
            page.markup("</a>")
        } else {
            page.bareText(caption)
        }
        page.markup("</figcaption></figure>\n")
    }

    /// Renders dots as one SVG path, which needs no permission to load images and prints sharply.
    private static func picture(
        _ image: MonochromeImage, name: ReceiptText?, class css: StaticString, on page: inout HTMLWriter
    ) {
        page.markup("<svg class=\"")
        page.markup(css)
        if let name {
            page.markup("\" role=\"img\" aria-label=\"")
            page.bareText(name)
        } else {
            page.markup("\" aria-hidden=\"true")
        }
        page.markup("\" viewBox=\"0 0 ")
        page.number(image.width)
        page.markup(" ")
        page.number(image.height)
        page.markup("\"><path d=\"")
        for y in 0..<image.height {
            for run in image.runs(ofRow: y) {
                page.markup("M")
                page.number(run.start)
                page.markup(" ")
                page.number(y)
                page.markup("h")
                page.number(run.count)
                page.markup("v1H")
                page.number(run.start)
            }
        }
        page.markup("\"/></svg>\n")
    }
}
