public import TillCore

extension Hex {
    /// Parses hexadecimal digits of either case in common notations: spaces, tabs, line ends, colons, hyphens and a
    /// leading `0x` are skipped.
    /// - Throws: ``TLVError/notHexadecimal(at:)`` for any other character and for an odd number of digits.
    public static func bytes(_ text: some StringProtocol) throws(TLVError) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        let characters = Array(text.utf8)
        var offset = characters.starts(with: [0x30, 0x78]) || characters.starts(with: [0x30, 0x58]) ? 2 : 0
        while offset < characters.count {
            let character = characters[offset]
            switch character {
            case 0x09, 0x0A, 0x0D, 0x20, 0x2D, 0x3A:
                break
            default:
                guard let value = value(of: character) else { throw .notHexadecimal(at: offset) }
                if let first = high {
                    bytes.append(first << 4 | value)
                    high = nil
                } else {
                    high = value
                }
            }
            offset += 1
        }
        guard high == nil else { throw .notHexadecimal(at: characters.count) }
        return bytes
    }

    /// Parses hexadecimal digits; `nil` for anything that ``bytes(_:)`` rejects, if the position is irrelevant.
    public static func bytes(ifValid text: some StringProtocol) -> [UInt8]? {
        do throws(TLVError) { return try bytes(text) } catch { return nil }
    }
}
