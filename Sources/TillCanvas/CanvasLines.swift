public import TillReceipts

/// Draws single lines for ESC/POS printers. May be used on any thread.
public struct CanvasLines: LineRasterizer {
    private let canvas: Canvas

    /// Draws with the canvas's library and fonts.
    public init(_ canvas: Canvas) { self.canvas = canvas }

    /// Draws a line as dots, exactly `dots` wide and as high as its text; a long line is broken between words.
    /// - Returns: `nil` if no font has its script, or it exceeds the maximum height of a picture.
    public func raster(_ line: RasterLine, dots: Int, lineHeight: Int) -> MonochromeImage? {
        // Text takes about 0.7 of a line's height.
        let size = Double(max(8, lineHeight)) * Composer.dot * 0.7
        let frame = Composer.Frame(
            width: Double(dots) * Composer.dot, textSize: size, language: "und", isRightToLeft: line.isRightToLeft)
        do throws(CanvasError) {
            let drawing = try canvas.drawing(frame) { composer in
                if let end = line.end {
                    composer.put(
                        start: IsolatedText.of(line.start), end: IsolatedText.of(end), scale: 1, isBold: line.isStrong)
                } else if line.place == .center {
                    composer.centered(
                        line.start, isBold: line.isStrong, isIsolated: IsolatedText.isPutTogether(line.start))
                } else {
                    composer.indented(
                        line.start, indent: Double(line.indent) * size * 0.5, isBold: line.isStrong, scale: 1)
                }
            }
            return try canvas.dots(drawing, width: dots)
        } catch { return nil }
    }
}

extension ESCPOSReceipt {
    /// Creates the receipt for an ESC/POS printer, in the printer's own characters where it has them and drawn
    /// otherwise.
    ///
    /// Without a library or a font the receipt is still created as long as only pictographs are lost, each of which
    /// becomes `?`.
    /// - Throws: ``CanvasError/notInstalled(_:)`` or ``CanvasError/noFont(_:)`` if letters, digits or currency signs
    ///   would be lost, ``CanvasError/failed(_:)`` if they cannot be drawn for another reason.
    public init(drawing document: ReceiptDocument, profile: ESCPOSProfile) throws(CanvasError) {
        let canvas: Result<Canvas, CanvasError>
        do { canvas = .success(try Canvas()) } catch { canvas = .failure(error) }
        self = ReceiptRenderer.escpos(
            document, profile: profile, rasterizer: (try? canvas.get()).map { CanvasLines($0) })
        guard lostText.unicodeScalars.contains(where: { Script($0) != nil }) else { return }
        let missing = try canvas.get().missingScripts(in: lostText)
        throw missing.isEmpty ? .failed(-1) : .noFont(missing)
    }
}
