/// A black-and-white image, one bit per dot, rows padded to whole bytes, most significant bit leftmost, 1 is black: the
/// format of thermal printers.
public struct MonochromeImage: Hashable, Sendable {
    /// Maximum width in dots, slightly more than 112 mm paper has.
    public static let maximumWidth = 4_096
    /// Maximum height in dots: 25 m of paper at 203 dpi.
    public static let maximumHeight = 200_000

    /// The width in dots; each row is padded to whole bytes.
    public let width: Int
    public let height: Int
    /// The rows, from top to bottom.
    public private(set) var bytes: [UInt8]

    /// Bytes per row.
    public var stride: Int { (width + 7) / 8 }

    /// Creates a white image; `nil` if it is empty or exceeds a limit.
    public init?(width: Int, height: Int) {
        guard (1...MonochromeImage.maximumWidth).contains(width), (1...MonochromeImage.maximumHeight).contains(height)
        else { return nil }
        self.width = width
        self.height = height
        bytes = Array(repeating: 0, count: (width + 7) / 8 * height)
    }

    /// Creates an image from rows; `nil` if the number of bytes does not match.
    public init?(width: Int, height: Int, bytes: [UInt8]) {
        self.init(width: width, height: height)
        guard bytes.count == self.bytes.count else { return nil }
        self.bytes = bytes
    }

    /// `true` if the dot is black; `false` outside the image.
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

    /// Returns the bytes of a range of rows.
    public func rows(from first: Int, count: Int) -> ArraySlice<UInt8> {
        let start = min(max(0, first), height)
        let end = min(height, start + max(0, count))
        return bytes[(start * stride)..<(end * stride)]
    }

    /// Returns the black runs of a row, left to right: start and length.
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

    /// Returns the image with each dot scaled to a square of `factor` dots; `nil` if that exceeds a limit.
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
