extension ReceiptRenderer {
    /// Renders the receipt as plain text for a fixed-width terminal or email; no line exceeds `columns`.
    /// - Parameter columns: 48 is common for 80 mm paper, 32 for 58 mm; values below 24 are raised to 24.
    public static func text(_ receipt: ReceiptContent, columns: Int = 48) -> String {
        var text = ""
        for line in TextPage.lines(of: ReceiptDocument(receipt), columns: columns) {
            switch line {
            case .text(let words): text += words.text + "\n"
            case .rule(let dashes): text += dashes + "\n"
            case .code(let code, _): text += code.text + "\n"
            case .image, .cut: break
            }
        }
        return text
    }
}

/// The fixed-width lines of one receipt, as shown in a terminal or printed in text mode.
struct TextPage {
    enum Line: Hashable {
        case text(Words)
        case rule(String)
        /// A QR code, rendered as its caption in plain text.
        case code(CodeText, isLink: Bool)
        /// An image, omitted in plain text.
        case image(MonochromeImage)
        case cut
    }

    /// One line, laid out with spaces, and its parts for renderers that draw them.
    struct Words: Hashable {
        var text: String
        /// The text at the edge at which reading begins, without padding.
        var start: String
        /// The text at the opposite edge.
        var end: String?
        /// `true` for a centered line.
        var isCentered = false
        /// The indent, in columns.
        var indent = 0
        /// The emphasis.
        var style = Style.plain
    }

    /// The emphasis of a line.
    enum Style: Hashable { case plain, strong, heading }

    /// Minimum number of columns.
    static let fewestColumns = 24
    /// Maximum number of columns, beyond any existing paper.
    static let mostColumns = 255

    private let columns: Int
    private var lines: [Line] = []

    /// Returns all lines of a receipt.
    static func lines(of document: ReceiptDocument, columns: Int) -> [Line] {
        var page = TextPage(columns: min(mostColumns, max(fewestColumns, columns)))
        for block in document.blocks { page.put(block) }
        return page.lines
    }

    private init(columns: Int) { self.columns = columns }

    private mutating func put(_ block: ReceiptDocument.Block) {
        switch block {
        case .image(let image): lines.append(.image(image))
        case .heading(let text): centered(text.plain, .heading)
        case .line(let text): centered(text.plain)
        case .named(let name, let text, _): centered(name.plain, text.plain)
        case .notice(let headline, let sentence, _, _):
            centered(headline.plain, .strong)
            if let sentence { centered(sentence.plain) }
        case .table(let table): for row in table.rows { put(row) }
        case .code(let code, let caption, let isLink):
            centered(caption.plain)
            lines.append(.code(code, isLink: isLink))
        case .signature(let label):
            for _ in 0..<3 { lines.append(.text(Words(text: "", start: ""))) }
            lines.append(.rule(String(repeating: "_", count: columns)))
            centered(label.plain)
        case .rule: lines.append(.rule(String(repeating: "-", count: columns)))
        case .cut: lines.append(.cut)
        }
    }

    private mutating func put(_ row: ReceiptDocument.Row) {
        if row.isCounted, let count = row.middle {
            put("\(count.plain) x \(row.label.plain)", row.value.plain)
        } else {
            let label = row.label.plain
            put(row.isStrong ? label.uppercased() : label, row.value.plain, row.isStrong ? .strong : .plain)
            if let middle = row.middle { indented(middle.plain) }
        }
        for detail in row.details { indented(detail.plain) }
    }

    private mutating func centered(_ text: String, _ style: Style = .plain) {
        for line in DisplayColumns.wrap(text, width: columns) {
            let laidOut = padding((columns - DisplayColumns.count(line)) / 2) + line
            lines.append(.text(Words(text: laidOut, start: line, isCentered: true, style: style)))
        }
    }

    /// Appends a name and a value, on one line if they fit. Drawing renderers get both, bidirectionally isolated.
    private mutating func centered(_ name: String, _ value: String) {
        let line = "\(name) \(value)"
        let count = DisplayColumns.count(line)
        guard count <= columns else {
            centered(name)
            centered(value)
            return
        }
        lines.append(
            .text(
                Words(
                    text: padding((columns - count) / 2) + line,
                    start: "\(IsolatedText.of(name)) \(IsolatedText.of(value))", isCentered: true)))
    }

    private mutating func indented(_ text: String) {
        for line in DisplayColumns.wrap(text, width: columns - 4) {
            lines.append(.text(Words(text: padding(4) + line, start: line, indent: 4)))
        }
    }

    /// Appends a label on the left and a value on the right, on the label's last line if there is room.
    private mutating func put(_ label: String, _ value: String, _ style: Style = .plain) {
        let values = DisplayColumns.wrap(value, width: columns)
        let valueWidth = values.map { DisplayColumns.count($0) }.max() ?? 0
        let sharesLine = values.count == 1 && valueWidth <= columns - 12
        var labels = DisplayColumns.wrap(label, width: sharesLine ? columns - valueWidth - 1 : columns)
        let last = sharesLine ? labels.popLast() ?? "" : ""
        for line in labels { lines.append(.text(Words(text: line, start: line, style: style))) }
        if sharesLine, let value = values.first {
            let gap = padding(columns - DisplayColumns.count(last) - valueWidth)
            lines.append(.text(Words(text: last + gap + value, start: last, end: value, style: style)))
        } else {
            for line in values {
                let laidOut = padding(columns - DisplayColumns.count(line)) + line
                lines.append(.text(Words(text: laidOut, start: "", end: line, style: style)))
            }
        }
    }

    private func padding(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
