public import TillReceipts

/// Draws single lines for ESC/POS printers.
public struct CanvasLines: LineRasterizer {
    private let canvas: Canvas

    /// On a canvas.
    public init(_ canvas: Canvas) { self.canvas = canvas }

    /// One line as dots: as high as it must be, made narrower if it is too wide.
    public func raster(_ line: RasterLine, dots: Int, lineHeight: Int) -> MonochromeImage? {
        // About 0.7 of a line is its text.
        let size = Double(max(8, lineHeight)) * Composer.dot * 0.7
        let width = Double(dots) * Composer.dot
        guard
            let composer = try? canvas.composer(
                width: width, textSize: size, language: "und", isRightToLeft: line.isRightToLeft)
        else { return nil }
        let start = IsolatedText.of(line.start)
        if let end = line.end {
            composer.put(start: start, end: IsolatedText.of(end), scale: 1, isBold: line.isStrong)
        } else if line.place == .center {
            composer.centered(
                line.start, isBold: line.isStrong, isIsolated: IsolatedText.isPutTogether(line.start))
        } else {
            composer.indented(
                line.start, indent: Double(line.indent) * size * 0.5, isBold: line.isStrong, scale: 1)
        }
        return try? canvas.dots(composer, width: dots)
    }
}
