/// Draws single lines for printers that do not have their characters: Arabic and Hebrew, which printers neither join
/// nor turn, Japanese, and mixtures of scripts. Passed in, since drawing needs a system's fonts.
public protocol LineRasterizer: Sendable {
    /// One line as dots.
    /// - Parameters:
    ///   - line: what it says.
    ///   - dots: how wide the picture must be.
    ///   - lineHeight: how high a line of the printer is, in dots.
    /// - Returns: `nil` if it cannot be drawn.
    func raster(_ line: RasterLine, dots: Int, lineHeight: Int) -> MonochromeImage?
}

/// What a line to be drawn says.
public struct RasterLine: Hashable, Sendable {
    /// Where a line stands.
    public enum Place: Hashable, Sendable {
        /// Reading begins at the edge.
        case start
        /// In the middle of the paper.
        case center
    }
    /// The text where reading begins.
    public let start: String
    /// The text at the other side.
    public let end: String?
    /// Where the line stands.
    public let place: Place
    /// The line stands out, as a total does.
    public let isStrong: Bool
    /// Reading begins on the right.
    public let isRightToLeft: Bool
    /// Columns that it is moved in.
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
