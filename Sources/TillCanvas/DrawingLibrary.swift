/// What lays text out and draws: Pango and Cairo, or CoreText and CoreGraphics. Lengths are points from the upper left
/// corner; all drawing is black on white.
///
/// A value that many threads may use at once; what it makes stays on the thread that asked for it.
package protocol DrawingLibrary: Sendable {
    /// Lays out the texts of one receipt.
    /// - Parameter language: a language tag, which chooses between the forms that languages give one character.
    func typesetter(language: String, isRightToLeft: Bool) throws(CanvasError) -> any Typesetter

    /// Notices fonts that were installed or removed since this thread last laid out a text.
    /// - Returns: whether a new typesetter may know other fonts than those made before.
    func refreshFonts() -> Bool

    /// A PDF of pages of one size, with its fonts in it.
    /// - Parameter draw: called once for each page, in their order.
    func pdf(
        width: Double, height: Double, title: String, pages: Int, draw: (Int, any Pen) -> Void
    ) throws(CanvasError) -> [UInt8]

    /// The drawing as a PNG picture.
    /// - Parameter scale: dots of a point.
    func png(width: Int, height: Int, scale: Double, draw: (any Pen) -> Void) throws(CanvasError) -> [UInt8]

    /// How dark each dot is, 255 is black, row after row from the top.
    /// - Parameter read: gets the dots and the bytes from one row to the next, which may be more than the width.
    func darkness<Value>(
        width: Int, height: Int, scale: Double, draw: (any Pen) -> Void,
        read: (UnsafeBufferPointer<UInt8>, Int) -> Value
    ) throws(CanvasError) -> Value
}

/// Lays texts out in one language and direction.
package protocol Typesetter: AnyObject {
    /// - Parameters:
    ///   - width: where lines are broken, in points; `nil`: nowhere.
    ///   - size: tenths of a point.
    func layout(_ text: String, width: Double?, size: Int, isBold: Bool, alignment: TextSide) -> (any TextLayout)?
}

/// Which side of its width a text keeps to, whatever its direction.
package enum TextSide: Int32, Hashable, Sendable {
    /// The left edge, also of text that is read from the right.
    case left
    /// Each line in the middle.
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
    /// How many characters no font has: the library draws a box in the place of each. Marks of direction and other
    /// characters that are never seen do not count.
    var unknownGlyphs: Int { get }
}

/// Draws on one page.
package protocol Pen {
    /// Draws a text whose upper left corner is there. Texts of another library are not drawn.
    func show(_ text: any TextLayout, x: Double, y: Double)
    /// Fills rectangles with sharp edges.
    func fill(_ boxes: [DrawnBox], x: Double, y: Double)
}

/// A black rectangle; lengths in points.
package struct DrawnBox: Hashable, Sendable {
    /// Of its left edge.
    package var x: Double
    /// Of its upper edge.
    package var y: Double
    /// From left to right.
    package var width: Double
    /// From top to bottom.
    package var height: Double
}
