import TillCore
import TillProvider

/// An entropy check of keys that a shop supplies itself.
enum KeyStrength {
    /// The minimum strength in bits.
    static let minimumBits = 128
    /// The minimum number of distinct characters: 32 random hexadecimal digits contain nearly all of them.
    static let minimumDifferent = 8

    /// Returns the fault of a key as the end of a sentence; `nil` if there is none. Never contains any part of the key.
    static func fault(of key: String) -> String? {
        guard key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return "must be printable ASCII without spaces"
        }
        let bits = key.utf8.count * thousandthsOfBits(of: key) / 1_000
        guard bits >= minimumBits, Set(key.utf8).count >= minimumDifferent else {
            return "can be guessed: it has fewer than \(minimumBits) bits. Use a key of till keys create, or one of "
                + "openssl rand -hex 32"
        }
        return nil
    }

    /// Returns the maximum entropy of one character, in thousandths of a bit, for the character classes in use.
    private static func thousandthsOfBits(of key: String) -> Int {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let lower = UInt8(ascii: "a")...UInt8(ascii: "z")
        let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
        var (hasDigit, hasLower, hasUpper, hasOther, isHex) = (false, false, false, false, true)
        for byte in key.utf8 {
            switch byte {
            case digits: hasDigit = true
            case lower:
                hasLower = true
                if byte > UInt8(ascii: "f") { isHex = false }
            case upper:
                hasUpper = true
                if byte > UInt8(ascii: "F") { isHex = false }
            default: (hasOther, isHex) = (true, false)
            }
        }
        // The binary logarithms of 10, 16, 26, 36, 52, 62 and 94.
        if !hasOther, !hasLower, !hasUpper { return 3_321 }
        if isHex, !(hasLower && hasUpper) { return 4_000 }
        let letters = (hasLower ? 26 : 0) + (hasUpper ? 26 : 0)
        switch letters + (hasDigit ? 10 : 0) + (hasOther ? 32 : 0) {
        case ..<36: return 4_700
        case ..<52: return 5_169
        case ..<62: return 5_700
        case ..<94: return 5_954
        default: return 6_554
        }
    }
}

extension Settings {
    /// Returns the key of the settings, if there is one.
    /// - Throws: `SettingsError` for a key that can be guessed.
    public func strongKey() throws(SettingsError) -> String? {
        guard let key = secret(.apiKey)?.reveal() else { return nil }
        guard let fault = KeyStrength.fault(of: key) else { return key }
        throw .wrongValue(place: entries.first { $0.setting == .apiKey }?.place ?? "api_key", reason: fault)
    }
}
