import Foundation

/// A gray JPEG picture (ITU-T T.81, baseline), for printers that accept no other document. Fine enough that text and
/// codes stay sharp: every frequency is kept to within ``step``.
enum JPEGPicture {
    /// The quantization step of all frequencies. A receipt is black on white, so all count alike.
    static let step: Float = 6
    /// The longest side that the format can encode.
    static let longestSide = 65_535

    /// Returns a baseline JPEG of gray dots.
    /// - Parameter rows: gray values, 0 is black, `width × height` of them.
    /// - Returns: `nil` if the rows are not `width × height`, or a side is longer than the format can encode.
    static func bytes(width: Int, height: Int, rows: [UInt8], dotsPerInch: Int) -> [UInt8]? {
        guard (1...longestSide).contains(width), (1...longestSide).contains(height), rows.count == width * height else {
            return nil
        }
        var bits = JPEGBits()
        var last = 0
        for top in stride(from: 0, to: height, by: 8) {
            for left in stride(from: 0, to: width, by: 8) {
                let block = cosines(of: square(rows, width, height, left, top))
                bits.put(block, after: last)
                last = block[0]
            }
        }
        return header(width: width, height: height, dotsPerInch: dotsPerInch) + bits.finished() + [0xFF, 0xD9]
    }

    /// Returns eight by eight dots centered on zero; dots beyond the picture repeat its edge.
    private static func square(_ rows: [UInt8], _ width: Int, _ height: Int, _ left: Int, _ top: Int) -> [Float] {
        var square: [Float] = []
        square.reserveCapacity(64)
        for y in top..<(top + 8) {
            let start = min(y, height - 1) * width
            for x in left..<(left + 8) { square.append(Float(rows[start + min(x, width - 1)]) - 128) }
        }
        return square
    }

    /// Returns the quantized frequencies of a block in zigzag order.
    private static func cosines(of square: [Float]) -> [Int] {
        var result = Array(repeating: 0, count: 64)
        // Most of a receipt is empty paper.
        if let first = square.first, square.allSatisfy({ $0 == first }) {
            result[0] = Int((first * 8 / step).rounded())
            return result
        }
        var across = Array(repeating: Float(0), count: 64)
        for y in 0..<8 {
            for u in 0..<8 {
                var sum: Float = 0
                for x in 0..<8 { sum += square[y * 8 + x] * waves[u * 8 + x] }
                across[y * 8 + u] = sum
            }
        }
        for (place, index) in zigzag.enumerated() {
            let (v, u) = (index / 8, index % 8)
            var sum: Float = 0
            for y in 0..<8 { sum += across[y * 8 + u] * waves[v * 8 + y] }
            result[place] = Int((sum / step).rounded())
        }
        return result
    }

    /// `waves[u × 8 + x]`: the cosine of frequency u at place x, scaled so that applying it twice yields the standard's
    /// transform.
    private static let waves: [Float] = (0..<64).map { index in
        let (u, x) = (index / 8, index % 8)
        let scale: Float = u == 0 ? 0.5 / Float(2).squareRoot() : 0.5
        return scale * Float(cos(Double(2 * x + 1) * Double(u) * Double.pi / 16))
    }

    /// The zigzag order, from the lowest frequency to the highest.
    static let zigzag: [Int] = {
        var order: [Int] = []
        for diagonal in 0..<15 {
            let places = (max(0, diagonal - 7)...min(7, diagonal)).map { row in row * 8 + (diagonal - row) }
            order += diagonal % 2 == 0 ? places.reversed() : places
        }
        return order
    }()

    private static func header(width: Int, height: Int, dotsPerInch: Int) -> [UInt8] {
        func pair(_ value: Int) -> [UInt8] {
            [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
        }
        func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            [0xFF, marker] + pair(content.count + 2) + content
        }
        let density = pair(min(max(1, dotsPerInch), longestSide))
        return [0xFF, 0xD8]
            + segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 1] + density + density + [0, 0])
            + segment(0xDB, [0] + Array(repeating: UInt8(step), count: 64))
            + segment(0xC0, [8] + pair(height) + pair(width) + [1, 1, 0x11, 0])
            + segment(0xC4, [0x00] + JPEGCodes.levels.counts + JPEGCodes.levels.symbols)
            + segment(0xC4, [0x10] + JPEGCodes.frequencies.counts + JPEGCodes.frequencies.symbols)
            + segment(0xDA, [1, 1, 0x00, 0, 63, 0])
    }
}

/// A table of codes for luminance from annex K of the standard.
struct JPEGCodes {
    /// The number of codes of each length from 1 to 16 bits.
    let counts: [UInt8]
    /// The symbols of the codes, shortest first.
    let symbols: [UInt8]
    /// Code and length by symbol.
    let codes: [(code: UInt32, length: Int)]

    init(counts: [UInt8], symbols: [UInt8]) {
        self.counts = counts
        self.symbols = symbols
        var codes = Array(repeating: (code: UInt32(0), length: 0), count: 256)
        var rest = symbols[...]
        var code: UInt32 = 0
        for (index, count) in counts.enumerated() {
            for _ in 0..<count {
                guard let symbol = rest.popFirst() else { break }
                codes[Int(symbol)] = (code, index + 1)
                code += 1
            }
            code <<= 1
        }
        self.codes = codes
    }

    static let levels = JPEGCodes(
        counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: Array(0...11))
    static let frequencies = JPEGCodes(
        counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D], symbols: frequencySymbols)

    private static let frequencySymbols: [UInt8] = [
        0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07,
        0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0,
        0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28,
        0x29, 0x2A, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49,
        0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69,
        0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89,
        0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7,
        0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3, 0xC4, 0xC5,
        0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2,
        0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8,
        0xF9, 0xFA,
    ]
}

private struct JPEGBits {
    private var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var count = 0

    /// Appends a block in zigzag order.
    mutating func put(_ block: [Int], after last: Int) {
        put(number: block[0] - last, JPEGCodes.levels) { UInt8($0) }
        var zeros = 0
        for value in block.dropFirst() {
            if value == 0 {
                zeros += 1
                continue
            }
            while zeros > 15 {
                put(symbol: 0xF0, JPEGCodes.frequencies)
                zeros -= 16
            }
            let run = zeros
            put(number: value, JPEGCodes.frequencies) { UInt8(run << 4 | $0) }
            zeros = 0
        }
        if zeros > 0 { put(symbol: 0x00, JPEGCodes.frequencies) }
    }

    /// Appends a number as the code of its size and its own bits; negative ones as their complement.
    private mutating func put(number: Int, _ codes: JPEGCodes, symbol: (Int) -> UInt8) {
        let size = Int.bitWidth - number.magnitude.leadingZeroBitCount
        put(symbol: symbol(size), codes)
        guard size > 0 else { return }
        put(UInt32(truncatingIfNeeded: number < 0 ? number - 1 : number) & ((1 << UInt32(size)) - 1), size)
    }

    private mutating func put(symbol: UInt8, _ codes: JPEGCodes) {
        let (code, length) = codes.codes[Int(symbol)]
        put(code, length)
    }

    /// Appends at most 16 bits.
    private mutating func put(_ value: UInt32, _ length: Int) {
        pending = pending << UInt32(length) | value
        count += length
        while count >= 8 {
            let byte = UInt8(truncatingIfNeeded: pending >> UInt32(count - 8))
            bytes.append(byte)
            if byte == 0xFF { bytes.append(0) }
            count -= 8
            pending &= (1 << UInt32(count)) - 1
        }
    }

    mutating func finished() -> [UInt8] {
        if count > 0 { put((1 << UInt32(8 - count)) - 1, 8 - count) }
        return bytes
    }
}
