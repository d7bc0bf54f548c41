public import TillCore

/// Where a printer is.
public enum PrinterAddress: Hashable, Sendable, CustomStringConvertible {
    /// `ipp://host:631/ipp/print` or `ipps://…`.
    public struct IPP: Hashable, Sendable {
        /// With TLS.
        public let isSecure: Bool
        /// Name or address.
        public let host: String
        /// The port; 631 if none was given.
        public let port: Int
        /// The path.
        public let path: String

        private var bracketed: String { host.contains(":") ? "[\(host)]" : host }
        /// As IPP names it.
        public var uri: String { "\(isSecure ? "ipps" : "ipp")://\(bracketed):\(port)\(path)" }
        /// As HTTP names it.
        var url: String { "\(isSecure ? "https" : "http")://\(bracketed):\(port)\(path)" }
    }

    /// A printer with IPP.
    case ipp(IPP)
    /// ESC/POS over TCP: `socket://host:9100`.
    case socket(host: String, port: Int)
    /// ESC/POS through a device file: `/dev/usb/lp0`.
    case device(String)

    /// Reads an address.
    /// - Throws: ``PrinterAddressError`` for anything that is not one: other schemes, names and passwords in it, odd
    ///   characters.
    public init(parsing text: String) throws(PrinterAddressError) {
        if text.hasPrefix("/dev/") {
            guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("..") else { throw .notOne(text) }
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

    /// The stable word.
    public var code: String { "printer_address" }
    /// What happened.
    public var what: String {
        switch self {
        case .notOne(let text):
            "\"\(text.prefix(100).filter { $0.isASCII && !$0.isNewline })\" is no printer's address."
        }
    }
    /// Nothing was sent.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next.
    public var next: String {
        "Use ipp://HOST/ipp/print, ipps://…, socket://HOST:9100 or a device such as /dev/usb/lp0."
    }
}
