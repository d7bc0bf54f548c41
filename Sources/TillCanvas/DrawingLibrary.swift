/// What lays text out and draws: Pango and Cairo, or CoreText and CoreGraphics. Lengths are points from the upper left
/// corner; all drawing is black on white.
///
/// A value that many threads may use at once; what it makes stays on the thread that asked for it.
package protocol DrawingLibrary: Sendable {
    /// Lays out the texts of one receipt.
    func typesetter(language: String, isRightToLeft: Bool) throws(CanvasError) -> any Typesetter

    /// A PDF of pages of one size, with its fonts in it.
    /// - Parameter draw: called once for each page, in their order.
    func pdf(
        width: Double, height: Double, title: String, pages: Int, draw: (Int, any Pen) -> Void
    ) throws(CanvasError) -> [UInt8]

    /// A PNG picture.
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
    /// A text, laid out.
    /// - Parameters:
    ///   - width: where lines are broken, in points; `nil`: nowhere.
    ///   - size: tenths of a point.
    func layout(_ text: String, width: Double?, size: Int, isBold: Bool, alignment: TextSide) -> (any TextLayout)?
}

/// Which side of its width a text keeps to, whatever its direction.
package enum TextSide: Int32, Hashable, Sendable {
    /// The left.
    case left
    /// The middle.
    case center
    /// The right.
    case right
}

/// A text that is laid out and not yet drawn.
package protocol TextLayout: AnyObject {
    /// Breaks the lines anew.
    func setWidth(_ width: Double)
    /// Of all lines.
    var size: (width: Double, height: Double) { get }
    /// From the top to the first line's baseline.
    var baseline: Double { get }
}

/// Draws on one page.
package protocol Pen {
    /// Draws a text whose upper left corner is there. Texts of another library are not drawn.
    func show(_ text: any TextLayout, x: Double, y: Double)
    /// Fills rectangles with sharp edges.
    func fill(_ boxes: [DrawnBox], x: Double, y: Double)
}

/// A black rectangle.
package struct DrawnBox: Hashable, Sendable {
    /// Of its upper left corner.
    package var x: Double
    /// Of its upper left corner.
    package var y: Double
    /// Across.
    package var width: Double
    /// Down.
    package var height: Double
}
