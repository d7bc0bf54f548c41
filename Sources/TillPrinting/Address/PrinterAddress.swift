public import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The address of a printer.
public enum PrinterAddress: Hashable, Sendable, CustomStringConvertible {
    /// A printer with IPP: `ipp://host:631/ipp/print` or `ipps://…`.
    public struct IPP: Hashable, Sendable {
        /// `ipps`: TLS from the first byte.
        public let isSecure: Bool
        /// A name, an IPv4 address, or an IPv6 address without brackets.
        public let host: String
        /// The port; 631 if none was given.
        public let port: Int
        /// Begins with a slash: `/ipp/print`.
        public let path: String

        /// Host and port in the form of HTTP's `Host`.
        var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
        /// The address as an IPP URI.
        public var uri: String { "\(isSecure ? "ipps" : "ipp")://\(authority)\(path)" }
        /// The address as an HTTP URL.
        var url: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }
    }

    /// A printer with IPP.
    case ipp(IPP)
    /// ESC/POS over TCP: `socket://host:9100`.
    case socket(host: String, port: Int)
    /// ESC/POS through a device file: `/dev/usb/lp0`.
    case device(String)

    /// Parses an address as entered by a shop.
    /// - Throws: ``PrinterAddressError`` for anything that is not a printer's address: other schemes, embedded user
    ///   names or passwords, invalid characters.
    public init(parsing text: String) throws(PrinterAddressError) {
        if text.hasPrefix("/dev/") {
            guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains(".."), text.utf8.count <= 200,
                PrinterAddress.devices.contains(where: { text.dropFirst(5).hasPrefix($0) })
            else { throw .notOne(text) }
            self = .device(text)
            return
        }
        guard let mark = text.firstRange(of: "://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            text.utf8.count <= 1_000
        else { throw .notOne(text) }
        let scheme = text[..<mark.lowerBound].lowercased()
        let rest = text[mark.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        let path = String(rest.dropFirst(authority.count))
        guard let (host, port) = PrinterAddress.hostAndPort(authority), !text.contains("?"), !text.contains("#") else {
            throw .notOne(text)
        }
        if PrinterAddress.isNobodys(host) { throw .nobodys(host) }
        switch scheme {
        case "ipp", "ipps":
            self = .ipp(
                IPP(
                    isSecure: scheme == "ipps", host: host, port: port ?? 631,
                    path: path.isEmpty || path == "/" ? "/ipp/print" : path))
        case "socket":
            guard path.isEmpty || path == "/" else { throw .notOne(text) }
            self = .socket(host: host, port: port ?? 9_100)
        default: throw .notOne(text)
        }
    }

    /// Device names under `/dev` that can be printers: USB and parallel ports, serial lines, Bluetooth, and names from
    /// a shop's own device rules. Disks and memory are excluded.
    private static let devices = [
        "usb/lp", "usblp", "lp", "ttyUSB", "ttyACM", "ttyS", "ttyAMA", "rfcomm", "serial/", "printers/", "pts/", "cu.",
    ]

    /// Returns `true` for addresses that no printer has: link-local ones, where cloud platforms serve credentials,
    /// multicast and unspecified ones.
    private static func isNobodys(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        // `aton` accepts everything that resolvers do, including 0xA9FE0101 and 169.254.257.
        if inet_aton(host, &four) != 0 { return isNobodys(withUnsafeBytes(of: four) { Array($0) }) }
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        // IPv4 addresses in IPv6: mapped, compatible, and those that a gateway translates (RFC 6052).
        let (prefix, inside) = (Array(bytes.prefix(12)), Array(bytes.suffix(4)))
        let zeros = [UInt8](repeating: 0, count: 8)
        let isCompatible = prefix == zeros + [0, 0, 0, 0] && inside.prefix(3) != [0, 0, 0]
        if isCompatible || prefix == zeros + [0, 0, 0xFF, 0xFF] || prefix == [0, 0x64, 0xFF, 0x9B] + zeros {
            return isNobodys(inside)
        }
        return bytes[0] == 0xFF || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80) || bytes.allSatisfy { $0 == 0 }
    }

    private static func isNobodys(_ four: [UInt8]) -> Bool {
        four[0] == 0 || four[0] >= 224 || (four[0] == 169 && four[1] == 254)
    }

    private static func hostAndPort(_ authority: Substring) -> (String, Int?)? {
        guard !authority.contains("@") else { return nil }
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<close]
            let tail = authority[authority.index(after: close)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { return nil }
            port = tail.isEmpty ? nil : tail.dropFirst()
            guard host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else if let colon = authority.lastIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
            guard !host.contains(":") else { return nil }
        }
        guard !host.isEmpty, host.utf8.count <= 253 else { return nil }
        guard
            authority.hasPrefix("[")
                || host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })
        else { return nil }
        guard let port else { return (String(host), nil) }
        guard port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(port), (1...65_535).contains(number)
        else { return nil }
        return (String(host), number)
    }

    /// The complete address.
    public var description: String {
        switch self {
        case .ipp(let address): address.uri
        case .socket(let host, let port): "socket://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .device(let path): path
        }
    }
}

/// An error in a printer's address.
public enum PrinterAddressError: ExplainedError, Hashable {
    /// Not a printer's address.
    case notOne(String)
    /// An address that no printer can have: link-local, multicast or unspecified.
    case nobodys(String)

    /// A machine-readable code, stable across releases.
    public var code: String { "printer_address" }
    /// The problem with the address.
    public var what: String {
        switch self {
        case .notOne(let text):
            "\"\(text.prefix(100).filter { $0.isASCII && !$0.isNewline })\" is no printer's address."
        case .nobodys(let host):
            "\(host) is no printer's address: it is link-local or belongs to nobody. Nothing was sent to it."
        }
    }
    /// A printer moves no money.
    public var moneyMoved: MoneyMoved { .no }
    /// The next step.
    public var next: String {
        "Use ipp://HOST/ipp/print, ipps://…, socket://HOST:9100 or a device such as /dev/usb/lp0."
    }
}
