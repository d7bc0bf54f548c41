import Foundation
public import TillCore

/// The address of a counter: TLS, except on the machine itself.
public struct CounterAddress: Hashable, Sendable, CustomStringConvertible {
    /// `https`, or `http` for a loopback host.
    public let scheme: String
    /// Host and, if given, port, as in a URL.
    public let authority: String
    /// The path before `/v1`, without a slash at its end; mostly empty.
    public let basePath: String

    /// Reads an address such as `https://counter.example.com` or `http://127.0.0.1:8080`.
    /// - Throws: ``CounterAddressError``; ``CounterAddressError/plainHTTP(host:)`` for `http` to another machine, where
    ///   the key would travel in the clear.
    public init(_ text: String) throws(CounterAddressError) {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased()
        else { throw .unreadable }
        guard parts.user == nil, parts.password == nil else { throw .hasCredentials }
        guard parts.query == nil, parts.fragment == nil else { throw .hasQuery }
        switch scheme {
        case "https": break
        case "http":
            guard Loopback.isHost(host) else { throw .plainHTTP(host: String(host.prefix(128))) }
        default: throw .unreadable
        }
        self.scheme = scheme
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        authority = parts.port.map { "\(name):\($0)" } ?? name
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        basePath = path
    }

    /// The address as a URL.
    public var description: String { "\(scheme)://\(authority)\(basePath)" }
}

/// The reason for which an address or a key cannot be used. Nothing was sent.
public enum CounterAddressError: ExplainedError, Hashable {
    /// Not an address of a counter.
    case unreadable
    /// Plain HTTP to another machine.
    case plainHTTP(host: String)
    /// A name or a password in the address.
    case hasCredentials
    /// A query or a fragment in the address.
    case hasQuery
    /// An empty key, or one with characters that no key has.
    case invalidKey

    public var code: String {
        switch self {
        case .unreadable: "invalid_address"
        case .plainHTTP: "plain_http"
        case .hasCredentials: "credentials_in_address"
        case .hasQuery: "query_in_address"
        case .invalidKey: "invalid_key"
        }
    }

    public var what: String {
        switch self {
        case .unreadable: "This is not the address of a counter."
        case .plainHTTP(let host): "The counter at \(host) would be reached without TLS."
        case .hasCredentials: "The address has a name or a password."
        case .hasQuery: "The address has a query or a fragment."
        case .invalidKey: "The API key is empty or has characters that no key has."
        }
    }

    /// `no`: nothing was sent.
    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .unreadable, .hasQuery: "Use an address such as https://counter.example.com."
        case .plainHTTP: "Use https, or a loopback address for a counter on the same machine."
        case .hasCredentials: "Pass the API key by itself."
        case .invalidKey: "Use a key as till keys create has printed it."
        }
    }
}
