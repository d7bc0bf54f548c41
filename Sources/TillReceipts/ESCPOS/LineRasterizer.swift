/// Draws single lines for printers that lack their characters: Arabic and Hebrew, which printers neither shape nor
/// reorder, Japanese, and mixed scripts. Injected, because drawing needs the system's fonts.
public protocol LineRasterizer: Sendable {
    /// Draws one line.
    /// - Parameters:
    ///   - line: the text and its layout.
    ///   - dots: the required width of the image.
    ///   - lineHeight: the height of a printer line, in dots.
    /// - Returns: the image, or `nil` if the line cannot be drawn.
    func raster(_ line: RasterLine, dots: Int, lineHeight: Int) -> MonochromeImage?
}

/// A line to be drawn as an image.
public struct RasterLine: Hashable, Sendable {
    /// The placement of a line.
    public enum Place: Hashable, Sendable {
        /// At the edge at which reading begins.
        case start
        /// Centered.
        case center
    }
    /// The text at the edge at which reading begins.
    public let start: String
    /// The text at the opposite edge.
    public let end: String?
    /// The placement of the line.
    public let place: Place
    /// `true` for emphasis, as on a total.
    public let isStrong: Bool
    /// `true` if the line reads from right to left.
    public let isRightToLeft: Bool
    /// The indent, in columns.
    public let indent: Int

    init(_ line: TextPage.Words, isRightToLeft: Bool) {
        start = line.start
        end = line.end
        place = line.isCentered ? .center : .start
        isStrong = line.style != .plain
        indent = line.indent
        self.isRightToLeft = isRightToLeft
    }
}
