import HTTPTypes
import Hummingbird
import NIOCore

/// A connection, as those who answer its requests know it.
struct Connection: Sendable {
    /// That of the request which is being answered; `nil` where it did not come over a socket.
    @TaskLocal static var current: Connection?

    let peer: ClientAddress
    /// Whether this counter speaks TLS on it.
    let isEncrypted: Bool
    let place: ConnectionPlace
    let gate: ConnectionGate

    /// Refuses what is no probe on a place that only probes get.
    func checkPlace(_ request: Request) throws(Problem) {
        guard place.isForProbes, !OperationRoutes.probes.contains(request.uri.path) else { return }
        gate.count(.notAProbe)
        var problem = Problem(
            .serviceUnavailable, "connections_full", "The till has as many connections as it takes. Nothing was done.",
            next: "Send the request again with the same key."
        ).retrying(after: 2)
        problem.headers[.connection] = "close"
        throw problem
    }
}

/// Where a request comes from: the client, not the proxy before it. Who limits by address, marks a cookie as secure or
/// writes an address down asks here and never reads a header.
struct RequestOrigin: Sendable {
    /// That of the request which is being answered; that of this machine where there is none.
    @TaskLocal static var current = RequestOrigin(client: .loopback, isSecure: false, isProxied: false)

    /// The client's address, also where a trusted proxy is between.
    let client: ClientAddress
    /// Whether the client speaks TLS: with this counter, or with a proxy that it trusts.
    let isSecure: Bool
    /// Whether a trusted proxy is between.
    let isProxied: Bool

    /// By what attempts are counted: an IPv4 address; in IPv6 the network that one household has.
    var bucket: String { client.household.description }
}

/// Reads from a request and its connection where it comes from.
struct OriginReader: Sendable {
    /// Only what these say about their clients is believed.
    let trusted: [NetworkRange]
    /// The network is the shop's alone, as its settings say: plain HTTP may come past the proxy.
    var allowsPlainHTTP = false

    /// Hops that are examined, from this counter backwards.
    static let maximumHops = 32
    private static let forwardedFor = Incoming.name("X-Forwarded-For")
    private static let forwardedProto = Incoming.name("X-Forwarded-Proto")
    private static let forwardedHost = Incoming.name("X-Forwarded-Host")
    private static let forwarded = Incoming.name("Forwarded")
    /// Headers by which proxies speak of their clients.
    private static let names = [
        forwardedFor, forwardedProto, forwardedHost, forwarded, Incoming.name("X-Forwarded-Port"),
        Incoming.name("X-Real-IP"),
    ]

    func isTrusted(_ address: ClientAddress) -> Bool { trusted.contains { $0.contains(address) } }

    /// Where a request comes from. A trusted proxy's words for scheme and host become the request's.
    /// - Throws: ``Problem`` with 400 for a header of proxies from a peer that is not trusted, and for one that cannot
    ///   be read.
    func origin(of request: inout Request, over connection: Connection?) throws(Problem) -> RequestOrigin {
        let peer = connection?.peer ?? .loopback
        let isEncrypted = connection?.isEncrypted ?? false
        guard let name = OriginReader.names.first(where: { request.headers[$0] != nil }) else {
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

    /// Refuses what comes past the proxy in the clear, where there is one. What comes over loopback crosses no
    /// network, and a probe without a key has no secret.
    private func checkWay(of request: Request, from peer: ClientAddress, _ isEncrypted: Bool) throws(Problem) {
        guard !trusted.isEmpty, !allowsPlainHTTP, !isEncrypted, !isTrusted(peer), !peer.isLoopback,
            request.headers[.authorization] != nil || !OperationRoutes.probes.contains(request.uri.path)
        else { return }
        throw Problem(
            .forbidden, "past_the_proxy",
            "This till is asked over its proxy or over TLS, and \(peer) has come past both in the clear. Nothing was "
                + "done. A key that was sent has crossed the network readably: replace it.",
            next: "Use the proxy's address, or TLS. Where the network is yours alone, set allow_plain_http; a peer "
                + "that is a proxy belongs in trusted_proxies."
        )
    }

    /// Has a request say what its client asked for: the codec below knows neither TLS nor proxies.
    private static func put(_ host: String?, isSecure: Bool, into request: inout Request) {
        guard host != nil || isSecure else { return }
        var head = request.head
        if let host { head.authority = host }
        if isSecure { head.scheme = "https" }
        request = Request(head: head, body: request.body)
    }

    /// What proxies say about a request; hops from the client's end.
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
            // A proxy writes one of the two; the other would be what its client made up.
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

    /// The last hop that is no trusted proxy: what stands before it anybody may have written.
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

    /// An address with or without port, an IPv6 one in brackets if it has one.
    private static func address(_ hop: String) -> ClientAddress? {
        if let address = ClientAddress(hop) { return address }
        if hop.hasPrefix("["), let end = hop.firstIndex(of: "]") { return ClientAddress(hop[..<end].dropFirst()) }
        guard let colon = hop.firstIndex(of: ":") else { return nil }
        return ClientAddress(hop[..<colon])
    }

    private static func parts(_ headers: HTTPFields, _ name: HTTPField.Name) -> [String] {
        headers[values: name].flatMap { $0.split(separator: ",") }.map(\.trimmed).filter { !$0.isEmpty }
    }

    /// A host with or without port; nothing that could be taken for more of an address.
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
