/// A picture of black and white dots, a bit a dot, rows padded to whole bytes, the highest bit leftmost, 1 is black.
/// What thermal printers take.
public struct MonochromeImage: Hashable, Sendable {
    /// The widest, in dots: a little over what 112 mm paper has.
    public static let maximumWidth = 4_096
    /// The highest, in dots: 25 m of paper at 203 dots an inch.
    public static let maximumHeight = 200_000

    /// Dots across; each row is padded to whole bytes.
    public let width: Int
    public let height: Int
    /// The rows, from the top.
    public private(set) var bytes: [UInt8]

    /// Bytes of a row.
    public var stride: Int { (width + 7) / 8 }

    /// A white picture; `nil` if it has no dots or more than the limits.
    public init?(width: Int, height: Int) {
        guard (1...MonochromeImage.maximumWidth).contains(width), (1...MonochromeImage.maximumHeight).contains(height)
        else { return nil }
        self.width = width
        self.height = height
        bytes = Array(repeating: 0, count: (width + 7) / 8 * height)
    }

    /// A picture of given rows; `nil` if their number of bytes is not right.
    public init?(width: Int, height: Int, bytes: [UInt8]) {
        self.init(width: width, height: height)
        guard bytes.count == self.bytes.count else { return nil }
        self.bytes = bytes
    }

    /// Whether a dot is black; outside of the picture all is white.
    public subscript(x: Int, y: Int) -> Bool {
        get {
            guard x >= 0, y >= 0, x < width, y < height else { return false }
            return bytes[y * stride + x / 8] & (0x80 >> UInt8(x % 8)) != 0
        }
        set {
            guard x >= 0, y >= 0, x < width, y < height else { return }
            if newValue {
                bytes[y * stride + x / 8] |= 0x80 >> UInt8(x % 8)
            } else {
                bytes[y * stride + x / 8] &= ~(0x80 >> UInt8(x % 8))
            }
        }
    }

    /// The bytes of some rows.
    public func rows(from first: Int, count: Int) -> ArraySlice<UInt8> {
        let start = min(max(0, first), height)
        let end = min(height, start + max(0, count))
        return bytes[(start * stride)..<(end * stride)]
    }

    /// Where a row is black: from, and how many dots, left to right.
    public func runs(ofRow y: Int) -> [(start: Int, count: Int)] {
        var runs: [(start: Int, count: Int)] = []
        var x = 0
        while x < width {
            guard self[x, y] else {
                x += 1
                continue
            }
            let start = x
            while self[x, y] { x += 1 }
            runs.append((start, x - start))
        }
        return runs
    }

    /// Each dot as a square of this many dots; `nil` if that passes a limit.
    public func scaled(by factor: Int) -> MonochromeImage? {
        guard (1...64).contains(factor), var large = MonochromeImage(width: width * factor, height: height * factor)
        else { return nil }
        for y in 0..<height {
            for x in 0..<width where self[x, y] {
                for dy in 0..<factor { for dx in 0..<factor { large[x * factor + dx, y * factor + dy] = true } }
            }
        }
        return large
    }
}
