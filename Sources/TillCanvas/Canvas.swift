public import TillReceipts

/// Receipts as pictures: PDF for printing and mail, PNG for display, dots for thermal printers. On Apple's systems
/// CoreText and CoreGraphics draw; elsewhere Pango, Cairo and fonts must be installed, and without them every call
/// throws ``CanvasError/notInstalled(_:)``.
///
/// Content is measured before it is drawn: on a roll a receipt is exactly as long as its content. Text is laid out by
/// the Unicode rules, with each external text isolated for direction. A value; calls may run concurrently on any
/// thread.
public struct Canvas: Sendable {
    /// The resolution of a thermal printer, in dots per inch.
    public static let dotsPerInch = 203
    /// The maximum length of a roll, in points: 20 m.
    static let longest = 20_000.0 / 25.4 * 72
    /// The maximum number of rows in a picture: Cairo's limit.
    static let highestPicture = 32_767

    private let library: any DrawingLibrary

    /// Creates a canvas with the system's library; Pango and Cairo are loaded at the first use in a process.
    /// - Throws: ``CanvasError/notInstalled(_:)``
    public init() throws(CanvasError) {
        #if canImport(CoreText)
            library = CoreTextDrawing()
        #else
            library = try PangoDrawing()
        #endif
    }

    /// Creates a canvas with a given library.
    package init(_ library: any DrawingLibrary) { self.library = library }

    /// Draws the receipt as PDF, one page on a roll, with its fonts embedded.
    /// - Throws: ``CanvasError``, among them ``CanvasError/noFont(_:)``: a receipt is never drawn with boxes for
    ///   letters.
    public func pdf(_ document: ReceiptDocument, paper: Paper = .roll80) throws(CanvasError) -> [UInt8] {
        let margin = Canvas.points(paper.margin)
        let drawing = try compose(document, paper)
        let pages = pages(drawing, paper)
        return try library.pdf(
            width: Canvas.points(paper.width), height: paper.height.map(Canvas.points) ?? drawing.height + 2 * margin,
            title: document.title.plain, pages: pages.count
        ) { page, pen in draw(pages[page], with: pen, x: margin, y: margin) }
    }

    /// Returns the height of a receipt's page in hundredths of a millimeter, as drawn by ``pdf(_:paper:)``; for a
    /// sheet, the sheet's height.
    public func height(_ document: ReceiptDocument, paper: Paper) throws(CanvasError) -> Int {
        if let height = paper.height { return height }
        return 2 * paper.margin + Int((try compose(document, paper).height / 72 * 2_540).rounded(.up))
    }

    /// Draws the receipt as a picture for display, 8 bits a dot, with the paper's margins. A receipt of several sheets
    /// becomes one long picture.
    public func png(
        _ document: ReceiptDocument, paper: Paper = .roll80, dotsPerInch: Int = Canvas.dotsPerInch
    ) throws(CanvasError) -> [UInt8] {
        let drawing = try compose(document, paper)
        let margin = Canvas.points(paper.margin)
        let height = max(paper.height.map(Canvas.points) ?? 0, drawing.height + 2 * margin)
        let dots = try dots(paper, height: height, dotsPerInch)
        return try library.png(width: dots.width, height: dots.height, scale: dots.scale) { pen in
            draw(drawing.pieces, with: pen, x: margin, y: margin)
        }
    }

    /// Returns the number of the receipt's pages; always 1 on a roll.
    public func pageCount(_ document: ReceiptDocument, paper: Paper) throws(CanvasError) -> Int {
        paper.height == nil ? 1 : pages(try compose(document, paper), paper).count
    }

    /// Draws the receipt as gray pages with the paper's margins, one after the other, so that only one is in memory.
    /// - Parameter body: called with each page and the page count.
    public func forEachPage(
        _ document: ReceiptDocument, paper: Paper, dotsPerInch: Int, _ body: (GrayPage, Int) -> Void
    ) throws(CanvasError) {
        let drawing = try compose(document, paper)
        let margin = Canvas.points(paper.margin)
        let height = paper.height.map(Canvas.points) ?? drawing.height + 2 * margin
        let dots = try dots(paper, height: height, dotsPerInch)
        let pages = pages(drawing, paper)
        for pieces in pages {
            let rows = try library.darkness(width: dots.width, height: dots.height, scale: dots.scale) { pen in
                draw(pieces, with: pen, x: margin, y: margin)
            } read: { bytes, stride in
                var rows: [UInt8] = []
                rows.reserveCapacity(dots.width * dots.height)
                for y in 0..<dots.height {
                    for byte in bytes[(y * stride)..<(y * stride + dots.width)] { rows.append(255 - byte) }
                }
                return rows
            }
            guard let page = GrayPage(width: dots.width, height: dots.height, rows: rows) else { throw .tooLarge }
            body(page, pages.count)
        }
    }

    /// Draws the receipt as the dots of a thermal printer, at its printable width.
    public func dots(_ document: ReceiptDocument, width: Int) throws(CanvasError) -> MonochromeImage {
        let frame = Composer.Frame(
            width: Double(width) * Composer.dot, textSize: Double(Paper.printable(dots: width).textSize) / 10,
            language: document.language, isRightToLeft: document.isRightToLeft)
        return try dots(try drawing(frame) { $0.put(document) }, width: width)
    }

    func dots(_ drawing: Drawing, width: Int) throws(CanvasError) -> MonochromeImage {
        let height = max(1, Int((drawing.height / Composer.dot).rounded(.up)))
        guard height <= Canvas.highestPicture, let image = MonochromeImage(width: width, height: height) else {
            throw .tooLarge
        }
        return try library.darkness(width: width, height: height, scale: 1 / Composer.dot) { pen in
            draw(drawing.pieces, with: pen, x: 0, y: 0)
        } read: { bytes, stride in
            image.blackened(from: bytes, stride: stride)
        }
    }

    /// Composes and measures a drawing. Before it fails for a missing font, fonts installed since the last receipt are
    /// loaded.
    func drawing(_ frame: Composer.Frame, _ put: (Composer) -> Void) throws(CanvasError) -> Drawing {
        var composer = try Composer(library, frame)
        put(composer)
        if !composer.missingScripts.isEmpty, library.refreshFonts() {
            composer = try Composer(library, frame)
            put(composer)
        }
        let missing = composer.missingScripts
        guard missing.isEmpty else { throw .noFont(Script.allCases.filter(missing.contains)) }
        return composer.drawing
    }

    func typesetter() throws(CanvasError) -> any Typesetter {
        try library.typesetter(language: "und", isRightToLeft: false)
    }

    // MARK: Parts

    private func compose(_ document: ReceiptDocument, _ paper: Paper) throws(CanvasError) -> Drawing {
        let frame = Composer.Frame(
            width: Canvas.points(paper.width - 2 * paper.margin), textSize: Double(paper.textSize) / 10,
            language: document.language, isRightToLeft: document.isRightToLeft)
        let drawing = try drawing(frame) { $0.put(document) }
        guard drawing.height <= Canvas.longest else { throw .tooLarge }
        return drawing
    }

    private func dots(
        _ paper: Paper, height: Double, _ dotsPerInch: Int
    ) throws(CanvasError) -> (width: Int, height: Int, scale: Double) {
        let scale = Double(min(max(72, dotsPerInch), 600)) / 72
        let dots = Int((height * scale).rounded())
        guard dots <= Canvas.highestPicture else { throw .tooLarge }
        return (Int((Canvas.points(paper.width) * scale).rounded()), dots, scale)
    }

    private func pages(_ drawing: Drawing, _ paper: Paper) -> [[Drawing.Piece]] {
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

    private func draw(_ pieces: [Drawing.Piece], with pen: any Pen, x: Double, y: Double) {
        var top = y
        for piece in pieces {
            for words in piece.words { pen.show(words.layout, x: x + words.x, y: top + words.y) }
            if !piece.boxes.isEmpty { pen.fill(piece.boxes, x: x, y: top) }
            top += piece.height
        }
    }

    private static func points(_ hundredths: Int) -> Double { Double(hundredths) / 2_540 * 72 }
}

extension MonochromeImage {
    /// The minimum darkness of a printed dot, of 255.
    private static let threshold: UInt8 = 112

    /// Converts eight dots at once, the first in the lowest byte, to one bit each for dots at or above the threshold,
    /// the first the highest.
    private static func black(in dots: UInt64) -> UInt8 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // A byte's highest bit ends up set if it was set, or if the other seven reach the threshold.
        let reached = (dots & (ones * 0x7F)) + ones * UInt64(0x80 - threshold)
        let bits = ((dots | reached) >> 7) & ones
        // The factor moves each byte's bit to its own position in the highest byte, without collisions.
        return UInt8((bits &* 0x8040_2010_0804_0201) >> 56)
    }

    /// Returns the page with dots at or above the threshold black.
    fileprivate func blackened(from dots: UnsafeBufferPointer<UInt8>, stride: Int) -> MonochromeImage {
        var packed = Array(repeating: UInt8(0), count: self.stride * height)
        let raw = UnsafeRawBufferPointer(dots)
        let whole = width / 8
        for y in 0..<height {
            let row = y * stride
            for group in 0..<whole {
                // Most of a receipt is empty paper.
                let eight = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: row + group * 8, as: UInt64.self))
                if eight != 0 { packed[y * self.stride + group] = MonochromeImage.black(in: eight) }
            }
            for column in (whole * 8)..<width where dots[row + column] >= MonochromeImage.threshold {
                packed[y * self.stride + whole] |= 0x80 >> UInt8(column - whole * 8)
            }
        }
        return MonochromeImage(width: width, height: height, bytes: packed) ?? self
    }
}
