/// Finds digits that could be a card's number (13 to 19 of them, spaces and dashes between allowed, a card's first
/// digits, a right check digit) and leaves the last four. A shop's free text is where such numbers leak onto paper.
enum CardNumberMask {
    /// The text with such numbers masked.
    static func masked(_ text: String) -> String {
        var digitCount = 0
        for byte in text.utf8 where byte >= 0x30 && byte <= 0x39 { digitCount += 1 }
        guard digitCount >= 13 else { return text }
        var bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            guard isDigit(bytes[start]), start == 0 || !isDigit(bytes[start - 1]) else {
                start += 1
                continue
            }
            let run = digits(from: start, in: bytes)
            if let length = cardLength(run.map { bytes[$0] }) {
                for index in run.prefix(length - 4) { bytes[index] = UInt8(ascii: "*") }
                start = (run.prefix(length).last ?? start) + 1
            } else {
                start += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where the digits of one number stand: single spaces and dashes may be between them.
    private static func digits(from start: Int, in bytes: [UInt8]) -> [Int] {
        var found: [Int] = []
        var index = start
        while index < bytes.count, found.count < 32 {
            if isDigit(bytes[index]) {
                found.append(index)
            } else if bytes[index] != 0x20 && bytes[index] != 0x2D || !(found.last.map { $0 == index - 1 } ?? false) {
                break
            }
            index += 1
        }
        return found
    }

    /// How many of the first digits make a card's number; the longest if several do.
    private static func cardLength(_ digits: [UInt8]) -> Int? {
        guard digits.count >= 13, begins(digits) else { return nil }
        for length in stride(from: min(19, digits.count), through: 13, by: -1) {
            var sum = 0
            for (index, byte) in digits.prefix(length).reversed().enumerated() {
                let digit = Int(byte) - 0x30
                sum += index % 2 == 0 ? digit : (digit > 4 ? digit * 2 - 9 : digit * 2)
            }
            if sum % 10 == 0 { return length }
        }
        return nil
    }

    private static func begins(_ digits: [UInt8]) -> Bool {
        let four = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) - 0x30 }
        return switch four {
        case 4000...4999, 5100...5599, 2221...2720, 3400...3499, 3700...3799, 3528...3589, 3000...3059, 3600...3699,
            3800...3999, 5000...5099, 5600...5899, 6000...6999:
            true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
