extension ReceiptRenderer {
    /// The receipt as plain text for a terminal or a mail of fixed columns; no line is wider.
    /// - Parameter columns: 48 is common for 80 mm paper, 32 for 58 mm; fewer than 24 is taken as 24.
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

/// Lines of a fixed width, of one receipt: what a terminal shows and a printer in text mode prints.
struct TextPage {
    enum Line: Hashable {
        case text(Words)
        case rule(String)
        /// A QR code, in its caption's place on text.
        case code(CodeText, isLink: Bool)
        /// A picture; text does without.
        case image(MonochromeImage)
        case cut
    }

    /// Words of one line: laid out with spaces, and what they are made of for those that draw them.
    struct Words: Hashable {
        var text: String
        /// Without: where reading begins.
        var start: String
        /// At the other side.
        var end: String?
        /// Whether the line stands in the middle of the paper.
        var isCentered = false
        /// Moved in, in columns.
        var indent = 0
        /// How it stands out.
        var style = Style.plain
    }

    /// How a line stands out.
    enum Style: Hashable { case plain, strong, heading }

    /// The fewest columns that a receipt is laid out in.
    static let fewestColumns = 24
    /// The most: wider paper does not exist.
    static let mostColumns = 255

    private let columns: Int
    private var lines: [Line] = []

    /// All lines of a receipt.
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

    /// A name and what it names, on one line if they fit. Who draws the line gets both kept apart for direction.
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

    /// A label on the left and a value on the right, on the label's last line if there is room.
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
