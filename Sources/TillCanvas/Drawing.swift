import TillReceipts

/// A canvas's content, measured and not yet drawn: pieces from top to bottom that are never split between pages.
struct Drawing {
    /// Laid-out text.
    struct Words {
        let layout: any TextLayout
        let x: Double
        let y: Double
    }

    /// A piece; all lengths in points.
    struct Piece {
        var height: Double
        var words: [Words] = []
        var boxes: [DrawnBox] = []
    }

    var pieces: [Piece] = []
    var height: Double { pieces.reduce(0) { $0 + $1.height } }
}

final class Composer {
    /// The frame for which a receipt is composed.
    struct Frame {
        /// The width of lines, in points.
        var width: Double
        /// The size of plain text, in points.
        var textSize: Double
        var language: String
        var isRightToLeft: Bool
    }

    /// A dot of a thermal printer in points: pieces begin on whole dots, so that codes stay sharp.
    static let dot = 72.0 / Double(Canvas.dotsPerInch)

    private let typesetter: any Typesetter
    private let width: Double
    private let isRightToLeft: Bool
    private let textSize: Double
    private var glyphs: MissingGlyphs
    private(set) var drawing = Drawing()
    /// Scripts of the texts so far that no font has; if there are any, the drawing must not be used.
    var missingScripts: Set<Script> { glyphs.scripts }

    init(_ library: any DrawingLibrary, _ frame: Frame) throws(CanvasError) {
        typesetter = try library.typesetter(language: frame.language, isRightToLeft: frame.isRightToLeft)
        glyphs = MissingGlyphs(typesetter)
        width = frame.width
        textSize = frame.textSize
        isRightToLeft = frame.isRightToLeft
    }

    // MARK: Blocks

    func put(_ document: ReceiptDocument) {
        for block in document.blocks { put(block) }
    }

    private func put(_ block: ReceiptDocument.Block) {
        switch block {
        case .image(let image): put(image, dots: 1)
        case .heading(let text): centered(text.plain, scale: 1.4, isBold: true)
        case .line(let text): centered(text.plain)
        case .named(let name, let text, let isGap):
            centered(
                "\(IsolatedText.of(name.plain)) \(IsolatedText.of(text.plain))", isBold: isGap, isIsolated: true)
        case .notice(let headline, let sentence, _, let isWarning):
            space(0.3)
            if isWarning { put(line: 2.5) }
            centered(headline.plain, scale: 1.2, isBold: true)
            if let sentence { centered(sentence.plain) }
            if isWarning { put(line: 2.5) }
            space(0.3)
        case .table(let table): for row in table.rows { put(row) }
        case .code(let code, let caption, _):
            space(0.6)
            if let symbol = QRCode(code), let image = symbol.image(quiet: 4) {
                let dots = max(2, min(6, Int(width / Composer.dot) / max(1, image.width)))
                put(image, dots: dots)
            }
            centered(caption.plain)
        case .signature(let label):
            space(4)
            put(line: 1)
            centered(label.plain)
        case .rule:
            space(0.25)
            put(line: 1)
            space(0.25)
        case .cut: break
        }
    }

    private func put(_ row: ReceiptDocument.Row) {
        let scale = row.isStrong ? 1.25 : 1
        var label = IsolatedText.of(row.label.plain)
        if row.isCounted, let count = row.middle { label = "\(IsolatedText.of(count.plain)) × \(label)" }
        put(start: label, end: IsolatedText.of(row.value.plain), scale: scale, isBold: row.isStrong || row.isGap)
        if !row.isCounted, let middle = row.middle { indented(middle.plain) }
        for detail in row.details { indented(detail.plain) }
    }

    /// Places a text at the leading edge and another at the trailing edge, on one baseline. Where both do not fit, the
    /// longer one is broken between words; a long value without words gets a line of its own, so that no number is
    /// split.
    func put(start: String, end: String, scale: Double, isBold: Bool) {
        let gap = textSize
        let (near, far): (TextSide, TextSide) = isRightToLeft ? (.right, .left) : (.left, .right)
        guard let label = layout(start, width: nil, scale: scale, isBold: isBold, alignment: near),
            var value = layout(end, width: nil, scale: scale, isBold: isBold, alignment: far)
        else { return }
        let labelWidth = label.size.width
        // A long number that nearly fits beside its label is reduced in size rather than moved under it.
        for smaller in [0.9, 0.8] where value.size.width > width * 0.5 && !end.contains(" ") {
            guard labelWidth + gap + value.size.width > width else { break }
            value = layout(end, width: nil, scale: scale * smaller, isBold: isBold, alignment: far) ?? value
        }
        let valueWidth = value.size.width
        if labelWidth + gap + valueWidth <= width {
            // Both are already laid out; breaking the lines again would dominate the time.
            return place(label, labelWidth, value, valueWidth)
        }
        var widths = (label: width - valueWidth - gap, value: valueWidth)
        if valueWidth > width * 0.5 {
            guard end.contains(" "), labelWidth <= width * 0.4 else {
                stack(label, value)
                return
            }
            widths = (labelWidth, width - labelWidth - gap)
        }
        // Half a point more, so that rounding breaks no line.
        label.setWidth(widths.label + 0.5)
        value.setWidth(widths.value + 0.5)
        place(label, widths.label + 0.5, value, widths.value + 0.5)
    }

    /// Places a label and its value at the two edges, on one baseline.
    private func place(
        _ label: any TextLayout, _ labelWidth: Double, _ value: any TextLayout, _ valueWidth: Double
    ) {
        let base = max(label.baseline, value.baseline)
        var piece = Drawing.Piece(height: 0)
        piece.words.append(
            .init(layout: label, x: isRightToLeft ? width - labelWidth : 0, y: base - label.baseline))
        piece.words.append(
            .init(layout: value, x: isRightToLeft ? 0 : width - valueWidth, y: base - value.baseline))
        piece.height = max(base - label.baseline + label.size.height, base - value.baseline + value.size.height)
        append(piece)
    }

    /// Places a label and its value below it, on separate lines that are not split between pages.
    private func stack(_ label: any TextLayout, _ value: any TextLayout) {
        label.setWidth(width)
        value.setWidth(width)
        let height = label.size.height
        append(
            Drawing.Piece(
                height: height + value.size.height,
                words: [.init(layout: label, x: 0, y: 0), .init(layout: value, x: 0, y: height)]))
    }

    /// Places a centered line.
    /// - Parameter isIsolated: `true` if its parts are already isolated, and the line has the direction of the receipt.
    func centered(_ text: String, scale: Double = 1, isBold: Bool = false, isIsolated: Bool = false) {
        let text = isIsolated ? text : IsolatedText.of(text)
        guard let words = layout(text, width: width, scale: scale, isBold: isBold, alignment: .center) else { return }
        append(Drawing.Piece(height: words.size.height, words: [.init(layout: words, x: 0, y: 0)]))
    }

    func indented(_ text: String, indent: Double? = nil, isBold: Bool = false, scale: Double = 0.9) {
        let indent = indent ?? textSize * 1.5
        guard
            let words = layout(
                IsolatedText.of(text), width: width - indent, scale: scale, isBold: isBold,
                alignment: isRightToLeft ? .right : .left)
        else { return }
        append(
            Drawing.Piece(
                height: words.size.height, words: [.init(layout: words, x: isRightToLeft ? 0 : indent, y: 0)]))
    }

    private func put(line dots: Double) {
        append(
            Drawing.Piece(
                height: dots * Composer.dot, boxes: [DrawnBox(x: 0, y: 0, width: width, height: dots * Composer.dot)]))
    }

    private func put(_ image: MonochromeImage, dots: Int) {
        var side = Double(dots) * Composer.dot
        if Double(image.width) * side > width { side = width / Double(image.width) }
        let left = ((width - Double(image.width) * side) / 2 / Composer.dot).rounded(.down) * Composer.dot
        var piece = Drawing.Piece(height: Double(image.height) * side)
        for y in 0..<image.height {
            for run in image.runs(ofRow: y) {
                piece.boxes.append(
                    DrawnBox(
                        x: left + Double(run.start) * side, y: Double(y) * side, width: Double(run.count) * side,
                        height: side))
            }
        }
        append(piece)
    }

    private func space(_ lines: Double) { append(Drawing.Piece(height: lines * textSize)) }

    private func append(_ piece: Drawing.Piece) {
        var piece = piece
        piece.height = (piece.height / Composer.dot).rounded(.up) * Composer.dot
        drawing.pieces.append(piece)
    }

    // MARK: Text

    private func layout(
        _ text: String, width: Double?, scale: Double, isBold: Bool, alignment: TextSide
    ) -> (any TextLayout)? {
        func layout(_ text: String) -> (any TextLayout)? {
            typesetter.layout(
                text, width: width, size: Int(textSize * scale * 10), isBold: isBold, alignment: alignment)
        }
        let text = isRightToLeft ? text : IsolatedText.unmarked(text)
        let whole = layout(text)
        guard let whole, whole.unknownGlyphs > 0 else { return whole }
        return layout(glyphs.replaced(in: text))
    }
}
