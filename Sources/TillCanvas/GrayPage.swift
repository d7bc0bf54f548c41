/// A page as grey dots.
public struct GrayPage: Hashable, Sendable {
    /// Dots across.
    public let width: Int
    /// Dots down.
    public let height: Int
    /// 0 is black and 255 white, row after row from the top.
    public let rows: [UInt8]

    /// A page; `nil` if the rows are not `width × height`, or there are none.
    public init?(width: Int, height: Int, rows: [UInt8]) {
        let limit = 1 << 20
        guard (1...limit).contains(width), (1...limit).contains(height), rows.count == width * height else {
            return nil
        }
        self.width = width
        self.height = height
        self.rows = rows
    }
}
