import TillReceipts

/// What stands on a canvas, measured and not yet drawn: pieces from top to bottom that pages do not part.
struct Drawing {
    /// Text that is laid out.
    struct Words {
        let layout: PangoCairo.Object
        let x: Double
        let y: Double
    }

    /// One piece; all lengths in points.
    struct Piece {
        var height: Double
        var words: [Words] = []
        /// Black rectangles: x, y, width, height.
        var boxes: [(Double, Double, Double, Double)] = []
    }

    var pieces: [Piece] = []
    /// Of all pieces.
    var height: Double { pieces.reduce(0) { $0 + $1.height } }
}

/// Measures a receipt. It owns what it laid out, so it must live until the drawing is done.
final class Composer {
    /// A dot of a thermal printer in points: pieces begin on whole dots, so that codes stay sharp.
    static let dot = 72.0 / Double(Canvas.dotsPerInch)

    private let pango: PangoCairo
    private let context: PangoCairo.Object
    private let width: Double
    private let isRightToLeft: Bool
    private let textSize: Double
    private var fonts: [String: PangoCairo.Object] = [:]
    private var layouts: [PangoCairo.Object] = []
    private(set) var drawing = Drawing()

    init(_ pango: PangoCairo, width: Double, textSize: Double, language: String, isRightToLeft: Bool)
        throws(CanvasError)
    {
        guard let map = pango.fontMap(), let context = pango.context(map) else { throw .failed(-1) }
        self.pango = pango
        self.context = context
        self.width = width
        self.textSize = textSize
        self.isRightToLeft = isRightToLeft
        pango.resolution(context, 72)
        pango.baseDirection(context, isRightToLeft ? 1 : 0)
        pango.setLanguage(context, pango.language(language))
        let options = pango.fontOptions()
        // No hinting: the same places whatever the resolution.
        pango.hintStyle(options, 1)
        pango.hintMetrics(options, 1)
        pango.useFontOptions(context, options)
        pango.destroyFontOptions(options)
    }

    deinit {
        for layout in layouts { pango.release(layout) }
        for font in fonts.values { pango.freeFont(font) }
        pango.release(context)
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
                "\(Composer.isolated(name.plain)) \(Composer.isolated(text.plain))", isBold: isGap, isIsolated: true)
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
        var label = Composer.isolated(row.label.plain)
        if row.isCounted, let count = row.middle { label = "\(Composer.isolated(count.plain)) × \(label)" }
        put(start: label, end: Composer.isolated(row.value.plain), scale: scale, isBold: row.isStrong || row.isGap)
        if !row.isCounted, let middle = row.middle { indented(middle.plain) }
        for detail in row.details { indented(detail.plain) }
    }

    /// A text where reading begins and another at the other side, on one baseline. Where both do not fit, the longer
    /// one is broken between words; a long value without words gets a line of its own, so that no number is parted.
    func put(start: String, end: String, scale: Double, isBold: Bool) {
        let gap = textSize
        let (near, far): (Int32, Int32) = isRightToLeft ? (2, 0) : (0, 2)
        let label = layout(start, width: nil, scale: scale, isBold: isBold, alignment: near)
        let value = layout(end, width: nil, scale: scale, isBold: isBold, alignment: far)
        let (labelWidth, valueWidth) = (size(label).width, size(value).width)
        var widths = (label: width - valueWidth - gap, value: valueWidth)
        if labelWidth + gap + valueWidth > width, valueWidth > width * 0.5 {
            guard end.contains(" "), labelWidth <= width * 0.4 else {
                stack(label, value)
                return
            }
            widths = (labelWidth, width - labelWidth - gap)
        }
        // Half a point more, so that rounding breaks no line.
        pango.setWidth(label, Composer.units(widths.label + 0.5))
        pango.setWidth(value, Composer.units(widths.value + 0.5))
        let labelBase = Composer.points(pango.baseline(label))
        let valueBase = Composer.points(pango.baseline(value))
        let base = max(labelBase, valueBase)
        var piece = Drawing.Piece(height: 0)
        piece.words.append(
            .init(layout: label, x: isRightToLeft ? width - widths.label - 0.5 : 0, y: base - labelBase))
        piece.words.append(
            .init(layout: value, x: isRightToLeft ? 0 : width - widths.value - 0.5, y: base - valueBase))
        piece.height = max(base - labelBase + size(label).height, base - valueBase + size(value).height)
        append(piece)
    }

    /// A label and under it its value, each on lines of its own; pages do not part them.
    private func stack(_ label: PangoCairo.Object, _ value: PangoCairo.Object) {
        pango.setWidth(label, Composer.units(width))
        pango.setWidth(value, Composer.units(width))
        let height = size(label).height
        append(
            Drawing.Piece(
                height: height + size(value).height,
                words: [.init(layout: label, x: 0, y: 0), .init(layout: value, x: 0, y: height)]))
    }

    /// A line in the middle.
    /// - Parameter isIsolated: its parts are kept apart already, and the line has the direction of the receipt.
    func centered(_ text: String, scale: Double = 1, isBold: Bool = false, isIsolated: Bool = false) {
        let words = layout(
            isIsolated ? text : Composer.isolated(text), width: width, scale: scale, isBold: isBold,
            alignment: 1)
        append(Drawing.Piece(height: size(words).height, words: [.init(layout: words, x: 0, y: 0)]))
    }

    func indented(_ text: String, indent: Double? = nil, isBold: Bool = false, scale: Double = 0.9) {
        let indent = indent ?? textSize * 1.5
        let words = layout(
            Composer.isolated(text), width: width - indent, scale: scale, isBold: isBold,
            alignment: isRightToLeft ? 2 : 0)
        append(
            Drawing.Piece(
                height: size(words).height, words: [.init(layout: words, x: isRightToLeft ? 0 : indent, y: 0)]))
    }

    private func put(line dots: Double) {
        append(Drawing.Piece(height: dots * Composer.dot, boxes: [(0, 0, width, dots * Composer.dot)]))
    }

    private func put(_ image: MonochromeImage, dots: Int) {
        var side = Double(dots) * Composer.dot
        if Double(image.width) * side > width { side = width / Double(image.width) }
        let left = ((width - Double(image.width) * side) / 2 / Composer.dot).rounded(.down) * Composer.dot
        var piece = Drawing.Piece(height: Double(image.height) * side)
        for y in 0..<image.height {
            for run in image.runs(ofRow: y) {
                piece.boxes.append(
                    (left + Double(run.start) * side, Double(y) * side, Double(run.count) * side, side))
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

    /// U+2068 and U+2069: the text chooses its own direction and turns nothing around it.
    static func isolated(_ text: String) -> String { "\u{2068}\(text)\u{2069}" }

    private func layout(_ text: String, width: Double?, scale: Double, isBold: Bool, alignment: Int32)
        -> PangoCairo.Object
    {
        guard let layout = pango.layout(context) else { return context }
        layouts.append(layout)
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                pango.setText(layout, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
        pango.setFont(layout, font(scale: scale, isBold: isBold))
        pango.setAutoDirection(layout, 0)
        pango.setAlignment(layout, alignment)
        pango.setWrap(layout, 2)
        if let width { pango.setWidth(layout, Composer.units(width)) }
        return layout
    }

    private func font(scale: Double, isBold: Bool) -> PangoCairo.Object? {
        let tenths = Int(textSize * scale * 10)
        let name = "Sans \(isBold ? "Bold " : "")\(tenths / 10).\(tenths % 10)"
        if let known = fonts[name] { return known }
        let made = pango.font(name)
        if let made { fonts[name] = made }
        return made
    }

    func size(_ layout: PangoCairo.Object) -> (width: Double, height: Double) {
        var width: Int32 = 0
        var height: Int32 = 0
        pango.size(layout, &width, &height)
        return (Composer.points(width), Composer.points(height))
    }

    private static func points(_ units: Int32) -> Double { Double(units) / 1024 }
    private static func units(_ points: Double) -> Int32 { Int32(max(1, min(1_000_000, points)) * 1024) }
}
