/// A QR code, model 2, in byte mode at error correction level M (recovers about 15 % damage). ISO/IEC 18004.
public struct QRCode: Sendable {
    /// Modules per side: 21 to 177.
    public let size: Int
    private var dark: [Bool]
    private var reserved: [Bool]

    /// Creates the smallest code that fits the text.
    public init?(_ code: CodeText) {
        let data = Array(code.text.utf8)
        guard let version = (1...40).first(where: { QRTables.dataCodewords($0) * 8 >= QRCode.bits(data, $0) }) else {
            return nil
        }
        size = 17 + 4 * version
        dark = Array(repeating: false, count: size * size)
        reserved = dark
        drawFunctionPatterns(version)
        place(QRCode.interleaved(QRCode.codewords(data, version), version))
        chooseMask()
    }

    /// `true` if the module is dark; `false` outside the code.
    public subscript(x: Int, y: Int) -> Bool {
        x >= 0 && y >= 0 && x < size && y < size && dark[y * size + x]
    }

    /// Returns the code as an image, one dot per module, with a light quiet zone of `quiet` modules; readers expect
    /// four.
    public func image(quiet: Int = 4) -> MonochromeImage? {
        let edge = min(max(0, quiet), 16)
        guard var image = MonochromeImage(width: size + 2 * edge, height: size + 2 * edge) else { return nil }
        for y in 0..<size { for x in 0..<size where self[x, y] { image[x + edge, y + edge] = true } }
        return image
    }

    // MARK: Data

    private static func bits(_ data: [UInt8], _ version: Int) -> Int {
        4 + (version < 10 ? 8 : 16) + 8 * data.count
    }

    private static func codewords(_ data: [UInt8], _ version: Int) -> [UInt8] {
        let capacity = QRTables.dataCodewords(version)
        var words: [UInt8] = []
        var held: UInt32 = 0
        var count = 0
        func put(_ value: UInt32, _ bits: Int) {
            held = held << UInt32(bits) | value
            count += bits
            while count >= 8 {
                words.append(UInt8(truncatingIfNeeded: held >> UInt32(count - 8)))
                count -= 8
            }
            held &= (1 << UInt32(count)) - 1
        }
        put(0b0100, 4)
        put(UInt32(data.count), version < 10 ? 8 : 16)
        for byte in data { put(UInt32(byte), 8) }
        put(0, min(4, capacity * 8 - bits(data, version)))
        if count > 0 { put(0, 8 - count) }
        var pad: UInt8 = 0xEC
        while words.count < capacity {
            words.append(pad)
            pad = pad == 0xEC ? 0x11 : 0xEC
        }
        return words
    }

    private static func interleaved(_ data: [UInt8], _ version: Int) -> [UInt8] {
        let blockCount = QRTables.blocks[version - 1]
        let checkCount = QRTables.checkWords[version - 1]
        let total = QRTables.totalCodewords(version)
        let shortLength = total / blockCount - checkCount
        let shortBlocks = blockCount - total % blockCount
        let divisor = ReedSolomon.divisor(degree: checkCount)
        var blocks: [(data: [UInt8], check: [UInt8])] = []
        var start = 0
        for index in 0..<blockCount {
            let length = shortLength + (index < shortBlocks ? 0 : 1)
            let part = Array(data[start..<min(data.count, start + length)])
            blocks.append((part, ReedSolomon.remainder(part, divisor)))
            start += length
        }
        var result: [UInt8] = []
        for index in 0...shortLength {
            for block in blocks where index < block.data.count { result.append(block.data[index]) }
        }
        for index in 0..<checkCount { for block in blocks { result.append(block.check[index]) } }
        return result
    }

    // MARK: Drawing

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard x >= 0, y >= 0, x < size, y < size else { return }
        dark[y * size + x] = isDark
        reserved[y * size + x] = true
    }

    private mutating func drawFunctionPatterns(_ version: Int) {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for dy in -4...4 {
                for dx in -4...4 {
                    let distance = max(abs(dx), abs(dy))
                    set(x + dx, y + dy, distance != 2 && distance != 4)
                }
            }
        }
        let centers = QRTables.alignment(version)
        for (row, y) in centers.enumerated() {
            for (column, x) in centers.enumerated() {
                let last = centers.count - 1
                if (row == 0 && column == 0) || (row == 0 && column == last) || (row == last && column == 0) {
                    continue
                }
                for dy in -2...2 { for dx in -2...2 { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) } }
            }
        }
        drawFormat(mask: 0)
        guard version >= 7 else { return }
        var remainder = version
        for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
        let word = version << 12 | remainder
        for index in 0..<18 {
            let bit = word >> index & 1 == 1
            set(size - 11 + index % 3, index / 3, bit)
            set(index / 3, size - 11 + index % 3, bit)
        }
    }

    /// Format information for level M, which is encoded as 0.
    private mutating func drawFormat(mask: Int) {
        var remainder = mask
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
        let word = (mask << 10 | remainder) ^ 0x5412
        func bit(_ index: Int) -> Bool { word >> index & 1 == 1 }
        for index in 0...5 { set(8, index, bit(index)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for index in 9..<15 { set(14 - index, 8, bit(index)) }
        for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
        set(8, size - 8, true)
    }

    private mutating func place(_ words: [UInt8]) {
        var index = 0
        var right = size - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            for step in 0..<size {
                for offset in 0..<2 {
                    let x = right - offset
                    let y = (right + 1) & 2 == 0 ? size - 1 - step : step
                    guard !reserved[y * size + x], index < words.count * 8 else { continue }
                    dark[y * size + x] = words[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            right -= 2
        }
    }

    private mutating func chooseMask() {
        var best = 0
        var least = Int.max
        for mask in 0..<8 {
            apply(mask)
            drawFormat(mask: mask)
            let penalty = QRPenalty.of(dark, size)
            if penalty < least { (best, least) = (mask, penalty) }
            apply(mask)
        }
        apply(best)
        drawFormat(mask: best)
    }

    private mutating func apply(_ mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !reserved[y * size + x] {
                let flips =
                    switch mask {
                    case 0: (x + y) % 2 == 0
                    case 1: y % 2 == 0
                    case 2: x % 3 == 0
                    case 3: (x + y) % 3 == 0
                    case 4: (x / 3 + y / 2) % 2 == 0
                    case 5: x * y % 2 + x * y % 3 == 0
                    case 6: (x * y % 2 + x * y % 3) % 2 == 0
                    default: ((x + y) % 2 + x * y % 3) % 2 == 0
                    }
                if flips { dark[y * size + x].toggle() }
            }
        }
    }
}
