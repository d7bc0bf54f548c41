/// Writes HTML of which only the markup in our own code is markup: it takes a `StaticString`. Everything else is
/// escaped, whatever it contains.
struct HTMLWriter {
    private(set) var html = ""

    /// Markup from our own source.
    mutating func markup(_ markup: StaticString) { html += markup.description }

    /// Text from outside, escaped and kept from turning the text around it.
    mutating func text(_ text: ReceiptText) {
        html += "<bdi>"
        escape(text.plain)
        html += "</bdi>"
    }

    /// Text inside an element that holds no elements, or an attribute in double quotes.
    mutating func bareText(_ text: ReceiptText) { escape(text.plain) }

    private mutating func escape(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(scalar)
            }
        }
    }
}
