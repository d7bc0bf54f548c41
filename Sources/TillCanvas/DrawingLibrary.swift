/// A library for text layout and drawing: Pango and Cairo, or CoreText and CoreGraphics. Lengths are points from the
/// upper left corner; all drawing is black on white.
///
/// A value for concurrent use by many threads; the objects that it creates stay on the thread that requested them.
package protocol DrawingLibrary: Sendable {
    /// Creates a typesetter for one receipt.
    /// - Parameter language: a language tag, which selects the regional form of characters.
    func typesetter(language: String, isRightToLeft: Bool) throws(CanvasError) -> any Typesetter

    /// Detects fonts installed or removed since this thread last laid out a text.
    /// - Returns: `true` if a new typesetter may know other fonts than earlier ones.
    func refreshFonts() -> Bool

    /// Draws a PDF with pages of one size, with embedded fonts.
    /// - Parameter draw: called once for each page, in order.
    func pdf(
        width: Double, height: Double, title: String, pages: Int, draw: (Int, any Pen) -> Void
    ) throws(CanvasError) -> [UInt8]

    /// Draws a PNG picture.
    /// - Parameter scale: dots per point.
    func png(width: Int, height: Int, scale: Double, draw: (any Pen) -> Void) throws(CanvasError) -> [UInt8]

    /// Draws the darkness of each dot, 255 for black, row by row from the top.
    /// - Parameter read: receives the dots and the number of bytes per row, which may exceed the width.
    func darkness<Value>(
        width: Int, height: Int, scale: Double, draw: (any Pen) -> Void,
        read: (UnsafeBufferPointer<UInt8>, Int) -> Value
    ) throws(CanvasError) -> Value
}

/// A layout engine for texts in one language and direction.
package protocol Typesetter: AnyObject {
    /// Lays out a text.
    /// - Parameters:
    ///   - width: the line width for breaking, in points; `nil` for no breaks.
    ///   - size: tenths of a point.
    func layout(_ text: String, width: Double?, size: Int, isBold: Bool, alignment: TextSide) -> (any TextLayout)?
}

/// The alignment of a text within its width, independent of its direction.
package enum TextSide: Int32, Hashable, Sendable {
    /// The left edge, also for right-to-left text.
    case left
    /// Each line centered.
    case center
    case right
}

/// A text that is laid out and not yet drawn.
package protocol TextLayout: AnyObject {
    /// Breaks the lines again for another width, in points.
    func setWidth(_ width: Double)
    /// Width and height of all lines, in points.
    var size: (width: Double, height: Double) { get }
    /// From the top to the first line's baseline, in points.
    var baseline: Double { get }
    /// The number of characters without a font, each of which the library draws as a box. Direction marks and other
    /// invisible characters do not count.
    var unknownGlyphs: Int { get }
}

/// A pen that draws on one page.
package protocol Pen {
    /// Draws a text with its upper left corner at the given point. Texts of another library are not drawn.
    func show(_ text: any TextLayout, x: Double, y: Double)
    /// Fills rectangles with sharp edges.
    func fill(_ boxes: [DrawnBox], x: Double, y: Double)
}

/// A black rectangle; lengths in points.
package struct DrawnBox: Hashable, Sendable {
    /// The position of its left edge.
    package var x: Double
    /// The position of its upper edge.
    package var y: Double
    /// From left to right.
    package var width: Double
    /// From top to bottom.
    package var height: Double
}
