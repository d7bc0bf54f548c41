import TillCore

/// The terminal's data elements for one tap.
struct TerminalData {
    let profile: TerminalProfile
    let request: TapRequest
    /// Terminal verification results, set during the tap.
    var verificationResults: [UInt8] = [0, 0, 0, 0, 0]

    /// Returns the value of a terminal tag; `nil` for tags that only a card has.
    func value(of tag: Tag) -> [UInt8]? {
        switch tag {
        case 0x9F02: return amount
        case 0x81: return Array(TerminalData.bigEndian(UInt64(clamping: request.amount.minorUnits), 4))
        case 0x9F03: return [0, 0, 0, 0, 0, 0]
        case 0x9F1A: return TerminalData.packed(profile.countryCode, 2)
        case 0x5F2A: return TerminalData.packed(request.amount.currency.numericCode, 2)
        case 0x5F36: return [UInt8(clamping: request.amount.currency.exponent)]
        case 0x9A: return Array(stamp.prefix(3))
        case 0x9F21: return Array(stamp.suffix(3))
        case 0x9C: return [request.kind.rawValue]
        case 0x9F37: return request.unpredictableNumber
        case 0x9F6A: return [0, 0, 0, (request.unpredictableNumber.last ?? 0) % 10]
        case 0x95: return verificationResults
        case 0x9F33: return profile.capabilities
        case 0x9F35: return [profile.terminalType]
        case 0x9F40: return [0x60, 0x00, 0xF0, 0xA0, 0x01]
        case 0x9F41: return TerminalData.packed(Int(request.sequence % 100_000_000), 4)
        case 0x9F4E: return Array(profile.merchantName.utf8.prefix(20))
        case 0x9F66: return qualifiers
        case 0x9F34: return [0x1F, 0x00, 0x02]
        case 0x9F6D: return [0x00, 0x01]
        case 0x9F7C: return []
        case 0x9F1D: return [0x2C, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00]
        default: return nil
        }
    }

    /// TTQ: EMV mode, signature, online cryptogram unless under the floor limit, cardholder verification over its
    /// limit.
    var qualifiers: [UInt8] {
        var second: UInt8 = 0
        if request.amount.minorUnits >= profile.floorLimit { second |= 0x80 }
        if needsVerification { second |= 0x40 }
        return [0x23, second, 0x40, 0x00]
    }

    var needsVerification: Bool { profile.verificationLimit.map { request.amount.minorUnits >= $0 } ?? false }

    private var amount: [UInt8] { TerminalData.packed(Int(clamping: request.amount.minorUnits), 6) }

    /// Year, month, day, hour, minute, second in packed digits, UTC.
    private var stamp: [UInt8] {
        let digits = request.time.description.filter(\.isNumber)
        return Hex.bytes(ifValid: String(digits.dropFirst(2).prefix(12))) ?? [0, 0, 0, 0, 0, 0]
    }

    /// Year, month and day of the tap in packed digits, for comparison with card dates.
    var yearMonthDay: [UInt8] { Array(stamp.prefix(3)) }

    /// Packs a number two digits per byte; overflow keeps the last digits.
    static func packed(_ number: Int, _ count: Int) -> [UInt8] {
        var rest = number.magnitude
        var bytes = [UInt8](repeating: 0, count: count)
        for index in bytes.indices.reversed() {
            bytes[index] = UInt8(rest / 10 % 10) << 4 | UInt8(rest % 10)
            rest /= 100
        }
        return bytes
    }

    static func bigEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }
}
