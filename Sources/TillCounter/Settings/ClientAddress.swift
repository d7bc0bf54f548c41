public import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The IP address of a client. An IPv4 address is stored in its IPv4-mapped IPv6 form, so that both notations are
/// equal.
public struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    private static let mapped: UInt64 = 0xFFFF_0000_0000

    package let high: UInt64
    package let low: UInt64

    package static let loopback = ClientAddress(high: 0, low: mapped | 0x7F00_0001)

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses an address in dotted or colon notation, without brackets, port or zone.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45 else { return nil }
        var four = in_addr()
        var six = in6_addr()
        let text = String(text)
        if inet_pton(AF_INET, text, &four) == 1 {
            let bytes = withUnsafeBytes(of: four) { Array($0) }
            self.init(high: 0, low: ClientAddress.mapped | ClientAddress.number(bytes[...]))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            let bytes = withUnsafeBytes(of: six) { Array($0) }
            self.init(high: ClientAddress.number(bytes.prefix(8)), low: ClientAddress.number(bytes.suffix(8)))
        } else {
            return nil
        }
    }

    /// Creates an address from its 4 or 16 bytes.
    package init?(bytes: ArraySlice<UInt8>) {
        switch bytes.count {
        case 4: self.init(high: 0, low: ClientAddress.mapped | ClientAddress.number(bytes))
        case 16: self.init(high: ClientAddress.number(bytes.prefix(8)), low: ClientAddress.number(bytes.suffix(8)))
        default: return nil
        }
    }

    /// Creates the address of a socket's peer; `nil` for a non-IP socket.
    public init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// `true` for an IPv4 address.
    var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// `true` for a loopback address: 127.0.0.0/8 or ::1.
    public var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    /// The prefix attributed to one client: an IPv4 address, or a /64 network in IPv6, since each household has 2⁶⁴
    /// addresses.
    package var household: ClientAddress { isIPv4 || isLoopback ? self : ClientAddress(high: high, low: 0) }

    /// Returns the address with all but its first bits cleared.
    package func prefix(_ bits: Int) -> ClientAddress {
        func mask(_ count: Int) -> UInt64 { count <= 0 ? 0 : count >= 64 ? .max : .max << UInt64(64 - count) }
        return ClientAddress(high: high & mask(bits), low: low & mask(bits - 64))
    }

    public var description: String {
        guard isIPv4 else {
            let groups = [high, low].flatMap { half in
                [48, 32, 16, 0].map { (shift: UInt64) in String(half >> shift & 0xFFFF, radix: 16) }
            }
            return groups.joined(separator: ":")
        }
        // In 15 bytes, as many as a string holds without memory of its own: every request is recorded with its address.
        return String(unsafeUninitializedCapacity: 15) { text in
            var count = 0
            func put(_ byte: UInt8) {
                text[count] = byte
                count += 1
            }
            for shift in stride(from: 24, through: 0, by: -8) {
                let number = UInt8(truncatingIfNeeded: low >> UInt64(shift))
                if number >= 100 { put(UInt8(ascii: "0") + number / 100) }
                if number >= 10 { put(UInt8(ascii: "0") + number / 10 % 10) }
                put(UInt8(ascii: "0") + number % 10)
                if shift > 0 { put(UInt8(ascii: ".")) }
            }
            return count
        }
    }
}

/// A network in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`; an address without a length is a single host.
public struct NetworkRange: Hashable, Sendable {
    private let first: ClientAddress
    private let bits: Int

    /// Parses a network.
    /// - Returns: `nil` for an invalid network, for one with host bits set, and for the all-networks range: trusting
    ///   every peer would make every client address forgeable.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let part = parts.first, let address = ClientAddress(part) else { return nil }
        let most = address.isIPv4 ? 32 : 128
        var length = most
        if parts.count == 2 {
            guard let number = Int(parts[1]), (1...most).contains(number), parts[1].utf8.allSatisfy({ $0 != 0x2B })
            else { return nil }
            length = number
        }
        bits = length + 128 - most
        first = address.prefix(bits)
        guard first == address else { return nil }
    }

    /// Returns `true` if the network contains an address.
    public func contains(_ address: ClientAddress) -> Bool { address.prefix(bits) == first }

    /// The maximum number of networks in one setting.
    static let most = 64

    /// Parses comma-separated networks; `nil` if one is invalid or if there are more than 64.
    public static func list(parsing text: String) -> [NetworkRange]? {
        let parts = text.split(separator: ",")
        guard parts.count <= most else { return nil }
        var ranges: [NetworkRange] = []
        for part in parts {
            guard let range = NetworkRange(part.trimmed) else { return nil }
            ranges.append(range)
        }
        return ranges.isEmpty ? nil : ranges
    }
}

extension StringProtocol {
    /// The text without leading and trailing spaces and tabs.
    package var trimmed: String {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        return String(drop { isBlank($0) }.reversed().drop { isBlank($0) }.reversed())
    }
}
