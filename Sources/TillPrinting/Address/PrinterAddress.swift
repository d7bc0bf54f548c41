public import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a printer is.
public enum PrinterAddress: Hashable, Sendable, CustomStringConvertible {
    /// A printer that speaks IPP: `ipp://host:631/ipp/print` or `ipps://…`.
    public struct IPP: Hashable, Sendable {
        /// `ipps`: TLS from the first byte.
        public let isSecure: Bool
        /// A name, an IPv4 address, or an IPv6 address without brackets.
        public let host: String
        /// The port; 631 if none was given.
        public let port: Int
        /// Begins with a slash: `/ipp/print`.
        public let path: String

        /// Host and port as HTTP's `Host` has them.
        var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
        /// As IPP names it.
        public var uri: String { "\(isSecure ? "ipps" : "ipp")://\(authority)\(path)" }
        /// As HTTP names it.
        var url: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }
    }

    /// A printer with IPP.
    case ipp(IPP)
    /// ESC/POS over TCP: `socket://host:9100`.
    case socket(host: String, port: Int)
    /// ESC/POS through a device file: `/dev/usb/lp0`.
    case device(String)

    /// Parses an address as a shop types it.
    /// - Throws: ``PrinterAddressError`` for anything that is not one: other schemes, names and passwords
    ///   in it, odd characters.
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

    /// What printers hang on, under `/dev`: USB and parallel ports, serial lines, Bluetooth, names that a shop's rules
    /// give. A disk or the memory is none.
    private static let devices = [
        "usb/lp", "usblp", "lp", "ttyUSB", "ttyACM", "ttyS", "ttyAMA", "rfcomm", "serial/", "printers/", "pts/", "cu.",
    ]

    /// Addresses that no printer has: of one link only, where clouds keep their machines' secrets, and of groups.
    private static func isNobodys(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        // `aton` reads what resolvers read: 0xA9FE0101 and 169.254.257 too.
        if inet_aton(host, &four) != 0 { return isNobodys(withUnsafeBytes(of: four) { Array($0) }) }
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return isNobodys(Array(bytes.suffix(4)))
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

    /// As typed, with nothing left out.
    public var description: String {
        switch self {
        case .ipp(let address): address.uri
        case .socket(let host, let port): "socket://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .device(let path): path
        }
    }
}

/// Why a text is no printer's address.
public enum PrinterAddressError: ExplainedError, Hashable {
    /// It is not one.
    case notOne(String)
    /// No printer can have it: link-local, a group's, or nobody's.
    case nobodys(String)

    /// A word for programs that stays the same in every release.
    public var code: String { "printer_address" }
    /// What is wrong with the address.
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
    /// What to do next.
    public var next: String {
        "Use ipp://HOST/ipp/print, ipps://…, socket://HOST:9100 or a device such as /dev/usb/lp0."
    }
}
