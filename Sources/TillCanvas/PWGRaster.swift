/// PWG Raster (PWG 5102.4), the format that every IPP Everywhere printer accepts. Gray or black, any number of pages.
public struct PWGRaster: Sendable {
    /// The size of a page's header, in bytes.
    static let headerBytes = 1_796
    /// The signature at the start of a document.
    static let beginning = Array("RaS2".utf8)

    /// The document so far; valid once the number of appended pages matches their declared count.
    public private(set) var bytes = PWGRaster.beginning
    private let dotsPerInch: Int
    private let isBlack: Bool

    /// Creates a document without pages.
    /// - Parameter isBlack: `true` for one bit a dot (`black_1`) instead of gray (`sgray_8`).
    public init(dotsPerInch: Int, isBlack: Bool = false) {
        self.dotsPerInch = max(1, dotsPerInch)
        self.isBlack = isBlack
    }

    /// Appends one page to the document.
    /// - Parameter count: the final number of pages, which each page declares.
    public mutating func append(_ page: GrayPage, of count: Int) {
        bytes += PWGRaster.header(page, of: count, dotsPerInch: dotsPerInch, isBlack: isBlack)
        let (width, height, rows) = (page.width, page.height, page.rows)
        var y = 0
        while y < height {
            let row = rows[(y * width)..<((y + 1) * width)]
            var repeats = 1
            while repeats < 256, y + repeats < height,
                rows[((y + repeats) * width)..<((y + repeats + 1) * width)] == row
            {
                repeats += 1
            }
            bytes.append(UInt8(repeats - 1))
            bytes += PWGRaster.encoded(row, isBlack: isBlack)
            y += repeats
        }
    }

    private static func encoded(_ row: ArraySlice<UInt8>, isBlack: Bool) -> [UInt8] {
        let units: [UInt8]
        if isBlack {
            var packed = [UInt8](repeating: 0, count: (row.count + 7) / 8)
            for (index, value) in row.enumerated() where value < 128 { packed[index / 8] |= 0x80 >> UInt8(index % 8) }
            units = packed
        } else {
            units = Array(row)
        }
        return packBits(units)
    }

    /// Encodes runs of one value as `count - 1, value`; different values as `257 - count, values`.
    private static func packBits(_ units: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        while index < units.count {
            var run = 1
            while run < 128, index + run < units.count, units[index + run] == units[index] { run += 1 }
            if run > 1 {
                bytes += [UInt8(run - 1), units[index]]
                index += run
                continue
            }
            var end = index + 1
            while end < units.count, end - index < 128, end + 1 >= units.count || units[end] != units[end + 1] {
                end += 1
            }
            let count = end - index
            bytes.append(count == 1 ? 0 : UInt8(257 - count))
            bytes += units[index..<end]
            index = end
        }
        return bytes
    }

    private static func header(_ page: GrayPage, of pages: Int, dotsPerInch: Int, isBlack: Bool) -> [UInt8] {
        let (width, height) = (page.width, page.height)
        var header = [UInt8](repeating: 0, count: headerBytes)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.prefix(63).enumerated() { header[offset + index] = byte }
        }
        func put(_ value: Int, at offset: Int) {
            for byte in 0..<4 { header[offset + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * byte)) }
        }
        put("PwgRaster", at: 0)
        let bits = isBlack ? 1 : 8
        put(dotsPerInch, at: 276)
        put(dotsPerInch, at: 280)
        put(width * 72 / dotsPerInch, at: 352)
        put(height * 72 / dotsPerInch, at: 356)
        put(1, at: 340)
        put(width, at: 372)
        put(height, at: 376)
        put(bits, at: 384)
        put(bits, at: 388)
        put((width * bits + 7) / 8, at: 392)
        put(isBlack ? 3 : 18, at: 400)
        put(1, at: 420)
        put(pages, at: 452)
        put(1, at: 456)
        put(1, at: 460)
        return header
    }
}
