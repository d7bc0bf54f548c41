/// One page as gray dots, 8 bits each.
public struct GrayPage: Hashable, Sendable {
    /// Dots across, 1 to 1,048,576.
    public let width: Int
    /// Dots down, 1 to 1,048,576.
    public let height: Int
    /// 0 is black and 255 white, row after row from the top.
    public let rows: [UInt8]

    /// Fails unless there are `width × height` dots and both sides are in range.
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
