public import TillCore

/// The address of a listener.
public struct ListenAddress: Hashable, Sendable {
    /// A name or an IP address; IPv6 without brackets.
    public var host: String
    /// The port; 0 for any free port.
    public var port: Int

    /// The default address: this machine only.
    public static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    public init(host: String, port: Int) {
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.port = port
    }

    /// Parses `ADDRESS:PORT`, with an IPv6 address in brackets; `nil` for anything else.
    public init?(parsing text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        let host = text[..<colon]
        guard !host.isEmpty, !host.contains(":") || (host.hasPrefix("[") && host.hasSuffix("]")) else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// `true` if it is reachable only from this machine.
    public var isLoopback: Bool { ClientAddress(host)?.isLoopback ?? Loopback.isHost(host) }

    /// Returns the URL for a browser.
    public func url(isSecure: Bool, port taken: Int) -> String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(taken)"
    }
}

/// An error in the listening configuration. No listener was opened.
public enum ListeningError: ExplainedError, Hashable {
    /// Keys and sales would cross a network unencrypted.
    case plainHTTP(host: String)
    /// The public address for customers is beyond this machine, but nothing there can serve it securely.
    case unreachable(setting: String, address: String)

    public var code: String {
        switch self {
        case .plainHTTP: "plain_http"
        case .unreachable: "public_address_without_listener"
        }
    }

    public var what: String {
        switch self {
        case .plainHTTP(let host):
            "The counter is to listen on \(host), beyond this machine, without TLS: everybody on the network path "
                + "could read keys and sales."
        case .unreachable(let setting, let address):
            "\(setting) is \(address), beyond this machine, and the counter has neither TLS nor a trusted proxy nor a "
                + "listener for the public."
        }
    }

    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .plainHTTP:
            "Set tls.certificate and tls.key, or trusted_proxies if a proxy speaks TLS before it; "
                + "--allow-plain-http where the network is yours alone."
        case .unreachable:
            "Set trusted_proxies to the proxy that serves that address, or tls.certificate and tls.key, or "
                + "--public-listen; docs/HARDENING.md shows each."
        }
    }
}
