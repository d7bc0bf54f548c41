public import TillReceipts

/// Receipts as pictures: PDF for printers and mail, PNG for people, dots for printers. Needs Pango, Cairo and fonts on
/// the machine; without them every call throws ``CanvasError/notInstalled(_:)``.
///
/// Measured first and drawn then: on a roll a receipt is exactly as long as its content. Text is laid out by the
/// Unicode rules, each text from outside kept apart for direction. A value; calls may run at once on any thread.
public struct Canvas: Sendable {
    /// Dots of a thermal printer, an inch.
    public static let dotsPerInch = 203
    /// The longest roll, in points: 20 m.
    static let longest = 20_000.0 / 25.4 * 72

    private let pango: PangoCairo

    /// Finds the libraries.
    public init() throws(CanvasError) { pango = try PangoCairo.found.get() }

    /// The receipt as PDF; its fonts are in it.
    public func pdf(_ document: ReceiptDocument, paper: Paper = .roll80) throws(CanvasError) -> [UInt8] {
        let margin = Canvas.points(paper.margin)
        let width = Canvas.points(paper.width)
        let composer = try compose(document, width: width - 2 * margin, textSize: Double(paper.textSize) / 10)
        let pages = try pages(composer.drawing, paper)
        let sink = Sink()
        let closure = Unmanaged.passUnretained(sink).toOpaque()
        let height = paper.height.map(Canvas.points) ?? pages[0].reduce(2 * margin) { $0 + $1.height }
        let surface = pango.pdfSurface(Sink.write, closure, width, height)
        defer { pango.destroySurface(surface) }
        document.title.plain.withCString { pango.pdfTitle(surface, 0, $0) }
        let cairo = pango.create(surface)
        for page in pages {
            draw(page, on: cairo, x: margin, y: margin)
            pango.showPage(cairo)
        }
        pango.destroy(cairo)
        pango.finish(surface)
        let status = pango.surfaceStatus(surface)
        guard status == 0 else { throw .failed(status) }
        return withExtendedLifetime((sink, composer)) { sink.bytes }
    }

    /// The height of a receipt on a roll, in hundredths of a millimetre: what ``pdf(_:paper:)`` makes.
    public func height(_ document: ReceiptDocument, paper: Paper) throws(CanvasError) -> Int {
        if let height = paper.height { return height }
        let composer = try compose(
            document, width: Canvas.points(paper.width - 2 * paper.margin), textSize: Double(paper.textSize) / 10)
        return 2 * paper.margin + Int((composer.drawing.height / 72 * 2_540).rounded(.up))
    }

    /// The receipt as a picture for people, 8 bits a dot, with the paper's margins.
    public func png(
        _ document: ReceiptDocument, paper: Paper = .roll80, dotsPerInch: Int = Canvas.dotsPerInch
    ) throws(CanvasError) -> [UInt8] {
        let sink = Sink()
        try onSurface(document, paper, dotsPerInch, format: 1) { surface, _, _ throws(CanvasError) in
            let status = pango.writePNG(surface, Sink.write, Unmanaged.passUnretained(sink).toOpaque())
            guard status == 0 else { throw .failed(status) }
        }
        return sink.bytes
    }

    /// The receipt as grey values, 0 is black, row after row with the paper's margins; one element a page.
    public func gray(
        _ document: ReceiptDocument, paper: Paper, dotsPerInch: Int
    ) throws(CanvasError) -> (width: Int, height: Int, rows: [UInt8]) {
        var result = (width: 0, height: 0, rows: [UInt8]())
        try onSurface(document, paper, dotsPerInch, format: 2) { surface, width, height throws(CanvasError) in
            guard let data = pango.imageData(surface) else { throw .failed(-1) }
            let stride = Int(pango.imageStride(surface))
            result = (width, height, [])
            result.rows.reserveCapacity(width * height)
            for y in 0..<height {
                for byte in UnsafeBufferPointer(start: data + y * stride, count: width) {
                    result.rows.append(255 - byte)
                }
            }
        }
        return result
    }

    /// The receipt as the dots of a thermal printer, as wide as it prints.
    public func dots(_ document: ReceiptDocument, width: Int) throws(CanvasError) -> MonochromeImage {
        let composer = try compose(
            document, width: Double(width) * Composer.dot,
            textSize: Double(Paper.printable(dots: width).textSize) / 10)
        return try dots(composer, width: width)
    }

    func dots(_ composer: Composer, width: Int) throws(CanvasError) -> MonochromeImage {
        let height = Int((composer.drawing.height / Composer.dot).rounded(.up))
        guard var image = MonochromeImage(width: width, height: max(1, height)) else { throw .tooLarge }
        let surface = pango.imageSurface(2, Int32(clamping: width), Int32(clamping: max(1, height)))
        defer { pango.destroySurface(surface) }
        let cairo = pango.create(surface)
        pango.scale(cairo, 1 / Composer.dot, 1 / Composer.dot)
        draw(composer.drawing.pieces, on: cairo, x: 0, y: 0)
        pango.destroy(cairo)
        pango.flush(surface)
        let status = pango.surfaceStatus(surface)
        guard status == 0, let data = pango.imageData(surface) else { throw .failed(status) }
        image.blacken(from: UnsafePointer(data), stride: Int(pango.imageStride(surface)))
        return withExtendedLifetime(composer) { image }
    }

    func composer(width: Double, textSize: Double, language: String, isRightToLeft: Bool) throws(CanvasError)
        -> Composer
    {
        try Composer(pango, width: width, textSize: textSize, language: language, isRightToLeft: isRightToLeft)
    }

    // MARK: Parts

    private func compose(_ document: ReceiptDocument, width: Double, textSize: Double) throws(CanvasError) -> Composer {
        let composer = try composer(
            width: width, textSize: textSize, language: document.language, isRightToLeft: document.isRightToLeft)
        composer.put(document)
        guard composer.drawing.height <= Canvas.longest else { throw .tooLarge }
        return composer
    }

    private func onSurface(
        _ document: ReceiptDocument, _ paper: Paper, _ dotsPerInch: Int, format: Int32,
        _ body: (PangoCairo.Object?, Int, Int) throws(CanvasError) -> Void
    ) throws(CanvasError) {
        let dotsPerInch = min(max(72, dotsPerInch), 600)
        let margin = Canvas.points(paper.margin)
        let scale = Double(dotsPerInch) / 72
        let composer = try compose(
            document, width: Canvas.points(paper.width) - 2 * margin, textSize: Double(paper.textSize) / 10)
        let points = max(paper.height.map(Canvas.points) ?? 0, composer.drawing.height + 2 * margin)
        let width = Int((Canvas.points(paper.width) * scale).rounded())
        let height = Int((points * scale).rounded())
        // 32,767 rows are Cairo's limit of a picture.
        guard height <= 32_767 else { throw .tooLarge }
        let surface = pango.imageSurface(format, Int32(clamping: width), Int32(clamping: height))
        defer { pango.destroySurface(surface) }
        let cairo = pango.create(surface)
        if format == 1 {
            pango.sourceRGB(cairo, 1, 1, 1)
            pango.paint(cairo)
        }
        pango.scale(cairo, scale, scale)
        draw(composer.drawing.pieces, on: cairo, x: margin, y: margin)
        pango.destroy(cairo)
        pango.flush(surface)
        let status = pango.surfaceStatus(surface)
        guard status == 0 else { throw .failed(status) }
        try body(surface, width, height)
        withExtendedLifetime(composer) {}
    }

    private func pages(_ drawing: Drawing, _ paper: Paper) throws(CanvasError) -> [[Drawing.Piece]] {
        guard let height = paper.height else { return [drawing.pieces] }
        let room = Canvas.points(height - 2 * paper.margin)
        var pages: [[Drawing.Piece]] = [[]]
        var used = 0.0
        for piece in drawing.pieces {
            if used + piece.height > room, used > 0 {
                pages.append([])
                used = 0
            }
            pages[pages.count - 1].append(piece)
            used += piece.height
        }
        return pages
    }

    private func draw(_ pieces: [Drawing.Piece], on cairo: PangoCairo.Object?, x: Double, y: Double) {
        pango.sourceRGB(cairo, 0, 0, 0)
        var top = y
        for piece in pieces {
            for words in piece.words {
                pango.moveTo(cairo, x + words.x, top + words.y)
                pango.show(cairo, words.layout)
            }
            if !piece.boxes.isEmpty {
                pango.antialias(cairo, 1)
                for (left, above, width, height) in piece.boxes {
                    pango.rectangle(cairo, x + left, top + above, width, height)
                }
                pango.fill(cairo)
                pango.antialias(cairo, 0)
            }
            top += piece.height
        }
    }

    private static func points(_ hundredths: Int) -> Double { Double(hundredths) / 2_540 * 72 }
}

/// Takes what Cairo writes.
private final class Sink {
    var bytes: [UInt8] = []

    static let write: PangoCairo.Write = { closure, data, count in
        guard let closure, let data else { return 0 }
        Unmanaged<Sink>.fromOpaque(closure).takeUnretainedValue()
            .bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
        return 0
    }
}

extension MonochromeImage {
    /// How dark a dot must be, of 255, to be printed.
    private static let threshold: UInt8 = 112

    /// Takes over dots that are dark enough.
    fileprivate mutating func blacken(from data: UnsafePointer<UInt8>, stride: Int) {
        for y in 0..<height {
            for x in 0..<width where data[y * stride + x] >= MonochromeImage.threshold { self[x, y] = true }
        }
    }
}
