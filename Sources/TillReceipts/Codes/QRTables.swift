/// Constants of ISO/IEC 18004 for error correction level M.
enum QRTables {
    /// Error correction codewords per block, for versions 1 to 40.
    static let checkWords = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28,
        28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ]
    /// Number of blocks, for versions 1 to 40.
    static let blocks = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31,
        33, 35, 37, 38, 40, 43, 45, 47, 49,
    ]

    /// Returns the number of data and error correction codewords together.
    static func totalCodewords(_ version: Int) -> Int {
        var bits = (16 * version + 128) * version + 64
        if version >= 2 {
            let count = version / 7 + 2
            bits -= (25 * count - 10) * count - 55
            if version >= 7 { bits -= 36 }
        }
        return bits / 8
    }

    static func dataCodewords(_ version: Int) -> Int {
        totalCodewords(version) - checkWords[version - 1] * blocks[version - 1]
    }

    /// Returns the coordinates of the alignment patterns, the same on both axes.
    static func alignment(_ version: Int) -> [Int] {
        guard version >= 2 else { return [] }
        let count = version / 7 + 2
        let step = version == 32 ? 26 : (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        let last = version * 4 + 10
        return [6] + (0..<(count - 1)).reversed().map { last - $0 * step }
    }
}

/// Reed–Solomon error correction over GF(2⁸) with the polynomial 0x11D.
enum ReedSolomon {
    static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product = 0
        for bit in stride(from: 7, through: 0, by: -1) {
            product = product << 1 ^ (product >> 7) * 0x11D
            product ^= Int(right >> UInt8(bit) & 1) * Int(left)
        }
        return UInt8(truncatingIfNeeded: product)
    }

    static func divisor(degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree)
        guard degree > 0 else { return [] }
        result[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                result[index] = multiply(result[index], root)
                if index + 1 < degree { result[index] ^= result[index + 1] }
            }
            root = multiply(root, 2)
        }
        return result
    }

    static func remainder(_ data: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: divisor.count)
        guard !divisor.isEmpty else { return [] }
        for byte in data {
            let factor = byte ^ result[0]
            result.removeFirst()
            result.append(0)
            for index in divisor.indices { result[index] ^= multiply(divisor[index], factor) }
        }
        return result
    }
}

/// The penalty score of a mask; lower is easier to read.
enum QRPenalty {
    static func of(_ dark: [Bool], _ size: Int) -> Int {
        var penalty = 0
        for line in 0..<size {
            penalty += runs(size) { dark[line * size + $0] }
            penalty += runs(size) { dark[$0 * size + line] }
        }
        for y in 0..<(size - 1) {
            for x in 0..<(size - 1) {
                let first = dark[y * size + x]
                let isBlock =
                    first == dark[y * size + x + 1] && first == dark[(y + 1) * size + x]
                    && first == dark[(y + 1) * size + x + 1]
                if isBlock { penalty += 3 }
            }
        }
        let count = dark.reduce(0) { $0 + ($1 ? 1 : 0) }
        penalty += abs(count * 20 - size * size * 10) / (size * size) * 10
        return penalty
    }

    /// Scores long runs and patterns that resemble a finder pattern.
    private static func runs(_ size: Int, _ module: (Int) -> Bool) -> Int {
        var penalty = 0
        var length = 0
        var window = 0
        for index in 0..<size {
            let isDark = module(index)
            length = index > 0 && module(index - 1) == isDark ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
            window = (window << 1 | (isDark ? 1 : 0)) & 0x7FF
            if index >= 10, window == 0b000_0101_1101 || window == 0b101_1101_0000 { penalty += 40 }
        }
        return penalty
    }
}
