import HTTPTypes
package import Hummingbird
import NIOCore
package import TillCounter

/// A connection, as seen by request handlers.
package struct Connection: Sendable {
    /// The connection of the current request; `nil` for a request that did not arrive over a socket.
    @TaskLocal package static var current: Connection?

    let peer: ClientAddress
    /// `true` if this counter terminates TLS on it.
    let isEncrypted: Bool
    package let place: ConnectionPlace
    let gate: ConnectionGate

    /// Refuses a request other than a probe on a connection reserved for probes.
    func checkPlace(_ request: Request) throws(Problem) {
        guard place.isForProbes, !RouteAudience.probes.contains(request.uri.path) else { return }
        gate.count(.notAProbe)
        var problem = Problem(
            .serviceUnavailable, "connections_full", "The till has as many connections as it takes. Nothing was done.",
            next: "Send the request again with the same key."
        ).retrying(after: 2)
        problem.headers[.connection] = "close"
        throw problem
    }
}

/// The origin of a request: the client, not the proxy before it. Address limits, secure cookies and recorded addresses
/// use it and never read a header.
package struct RequestOrigin: Sendable {
    /// The origin of the current request; loopback if there is none.
    @TaskLocal package static var current = RequestOrigin(client: .loopback, isSecure: false, isProxied: false)

    /// The client's address, resolved through trusted proxies.
    package let client: ClientAddress
    /// `true` if the client uses TLS, with this counter or with a trusted proxy.
    package let isSecure: Bool
    /// `true` if a trusted proxy forwarded the request.
    let isProxied: Bool

    /// The key under which attempts are counted: an IPv4 address, or the /64 network in IPv6.
    package var bucket: String { client.household.description }
}

/// Determines a request's origin from the request and its connection.
package struct OriginReader: Sendable {
    /// The proxy networks with trusted forwarding headers.
    package let trusted: [NetworkRange]
    /// `true` if the settings declare the network private: plain HTTP may bypass the proxy.
    var allowsPlainHTTP = false

    /// The maximum number of hops examined, from this counter backwards.
    static let maximumHops = 32
    private static let forwardedFor = HTTPField.Name.literal("X-Forwarded-For")
    private static let forwardedProto = HTTPField.Name.literal("X-Forwarded-Proto")
    private static let forwardedHost = HTTPField.Name.literal("X-Forwarded-Host")
    private static let forwarded = HTTPField.Name.literal("Forwarded")
    /// The forwarding headers of proxies.
    private static let names = [
        forwardedFor, forwardedProto, forwardedHost, forwarded, HTTPField.Name.literal("X-Forwarded-Port"),
        HTTPField.Name.literal("X-Real-IP"),
    ]

    /// Returns `false` for a name that is none of ``names``, as that of nearly every field is, by its first letter.
    private static func mayForward(_ name: HTTPField.Name) -> Bool {
        let first = name.canonicalName.utf8.first
        return first == UInt8(ascii: "x") || first == UInt8(ascii: "f")
    }

    package func isTrusted(_ address: ClientAddress) -> Bool { trusted.contains { $0.contains(address) } }

    /// Determines the origin of a request. A trusted proxy's scheme and host replace the request's.
    /// - Throws: ``Problem`` with 400 for a forwarding header from an untrusted peer, and for a malformed one.
    package func origin(of request: inout Request, over connection: Connection?) throws(Problem) -> RequestOrigin {
        let peer = connection?.peer ?? .loopback
        let isEncrypted = connection?.isEncrypted ?? false
        guard request.headers.contains(where: { OriginReader.mayForward($0.name) }),
            let name = OriginReader.names.first(where: { request.headers.contains($0) })
        else {
            try checkWay(of: request, from: peer, isEncrypted)
            OriginReader.put(nil, isSecure: isEncrypted, into: &request)
            return RequestOrigin(client: peer, isSecure: isEncrypted, isProxied: isTrusted(peer))
        }
        guard isTrusted(peer) else {
            throw Problem(
                .badRequest, "untrusted_proxy",
                "The request carries \(name.canonicalName), and \(peer) is no proxy that this till trusts. "
                    + "Nothing was done.",
                next: "If it is yours, set trusted_proxies (TILL_TRUSTED_PROXIES) to its address; else take the "
                    + "header off.")
        }
        let said = try said(in: request.headers)
        let isSecure = said.isSecure ?? isEncrypted
        OriginReader.put(said.host, isSecure: isSecure, into: &request)
        return RequestOrigin(client: try client(said.hops, behind: peer), isSecure: isSecure, isProxied: true)
    }

    /// Refuses requests that bypass a configured proxy unencrypted. Loopback crosses no network, and a probe without a
    /// key carries no secret.
    private func checkWay(of request: Request, from peer: ClientAddress, _ isEncrypted: Bool) throws(Problem) {
        guard !trusted.isEmpty, !allowsPlainHTTP, !isEncrypted, !isTrusted(peer), !peer.isLoopback,
            request.headers.contains(.authorization) || !RouteAudience.probes.contains(request.uri.path)
        else { return }
        throw Problem(
            .forbidden, "past_the_proxy",
            "This till is asked over its proxy or over TLS, and \(peer) has come past both in the clear. Nothing was "
                + "done. A key that was sent has crossed the network readably: replace it.",
            next: "Use the proxy's address, or TLS. Where the network is yours alone, set allow_plain_http; a peer "
                + "that is a proxy belongs in trusted_proxies."
        )
    }

    /// Sets the client's original host and scheme on the request: the codec below knows neither TLS nor proxies.
    private static func put(_ host: String?, isSecure: Bool, into request: inout Request) {
        guard host != nil || isSecure else { return }
        var head = request.head
        if let host { head.authority = host }
        if isSecure { head.scheme = "https" }
        request = Request(head: head, body: request.body)
    }

    /// The forwarding information of a request; hops from the client's end.
    private struct Said {
        var hops: [String] = []
        var isSecure: Bool?
        var host: String?
    }

    private func said(in headers: HTTPFields) throws(Problem) -> Said {
        let isOld = [OriginReader.forwardedFor, OriginReader.forwardedProto, OriginReader.forwardedHost]
            .contains { headers[$0] != nil }
        var said = Said()
        if headers[OriginReader.forwarded] != nil {
            // A proxy writes one of the two; the other would be forged by its client.
            guard !isOld else {
                throw OriginReader.unreadable("It has both Forwarded and X-Forwarded headers")
            }
            var schemes: [String] = []
            for element in OriginReader.parts(headers, OriginReader.forwarded) {
                for pair in element.split(separator: ";") {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    guard parts.count == 2 else { throw OriginReader.unreadable("Forwarded cannot be read") }
                    let value = parts[1].trimmed.filter { $0 != "\"" }
                    switch parts[0].trimmed.lowercased() {
                    case "for": said.hops.append(value)
                    case "proto": schemes.append(value)
                    case "host": said.host = value
                    default: break
                    }
                }
            }
            if !schemes.isEmpty { said.isSecure = schemes.allSatisfy { $0.lowercased() == "https" } }
        } else {
            said.hops = OriginReader.parts(headers, OriginReader.forwardedFor)
            let schemes = OriginReader.parts(headers, OriginReader.forwardedProto)
            if !schemes.isEmpty { said.isSecure = schemes.allSatisfy { $0.lowercased() == "https" } }
            said.host = OriginReader.parts(headers, OriginReader.forwardedHost).last
        }
        if let host = said.host, !OriginReader.isAuthority(host) {
            throw OriginReader.unreadable("The host that it names is none")
        }
        return said
    }

    /// Returns the last hop that is not a trusted proxy: anything before it may be forged.
    private func client(_ hops: [String], behind peer: ClientAddress) throws(Problem) -> ClientAddress {
        var client = peer
        for hop in hops.suffix(OriginReader.maximumHops).reversed() {
            guard let address = OriginReader.address(hop) else {
                throw OriginReader.unreadable("“\(hop.prefix(45))” is no address")
            }
            client = address
            if !isTrusted(address) { break }
        }
        return client
    }

    /// Parses an address with or without port; an IPv6 address with a port is in brackets.
    private static func address(_ hop: String) -> ClientAddress? {
        if let address = ClientAddress(hop) { return address }
        if hop.hasPrefix("["), let end = hop.firstIndex(of: "]") { return ClientAddress(hop[..<end].dropFirst()) }
        guard let colon = hop.firstIndex(of: ":") else { return nil }
        return ClientAddress(hop[..<colon])
    }

    private static func parts(_ headers: HTTPFields, _ name: HTTPField.Name) -> [String] {
        headers[values: name].flatMap { $0.split(separator: ",") }.map(\.trimmed).filter { !$0.isEmpty }
    }

    /// Returns `true` for a host with or without port, and nothing that could be parsed as more of a URL.
    private static func isAuthority(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D: true
                default: false
                }
            }
    }

    private static func unreadable(_ what: String) -> Problem {
        Problem(
            .badRequest, "forwarding_unreadable",
            "What the proxy says about the client cannot be read: \(what). Nothing was done.",
            next: "Have the proxy replace X-Forwarded-For, -Proto and -Host with its own; docs/HARDENING.md shows how.")
    }
}
