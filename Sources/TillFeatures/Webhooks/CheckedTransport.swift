package import HTTPTypes
package import TillCore
import TillCounter
import TillHTTP

/// The transport to addresses that somebody named over HTTP: each request resolves its host, checks every address of it
/// (``AddressReach``) and connects to one of those, so that a name whose address changes in between (DNS rebinding)
/// leads nowhere else. TLS still verifies the name. Redirects are not followed, and at most 1 MiB of an answer is read.
/// Requests within 5 s share what a name led to; each checks it.
///
/// An address that is not allowed is `notSent`; where a connection fails, the host's next address is tried.
package struct CheckedTransport: HTTPTransport {
    private let allowsPrivate: Bool
    private let resolver: SharedResolver
    private let clients: PinnedClients

    /// - Parameters:
    ///   - allowsPrivate: `true` if addresses of the machine and of its networks are allowed.
    ///   - connectionsPerHost: The most connections to one address.
    ///   - lookUpValidity: The time for which requests share what a name led to: as long as a look-up may take.
    package init(
        allowsPrivate: Bool, connectionsPerHost: Int = 8, resolver: any HostResolver = SystemResolver(),
        lookUpValidity: Span = WebhookLimits.resolution
    ) {
        self.allowsPrivate = allowsPrivate
        self.resolver = SharedResolver(resolver, validity: lookUpValidity.duration)
        clients = PinnedClients(connect: .seconds(5), connectionsPerHost: connectionsPerHost)
    }

    /// Returns `false` for a host with an address that is not allowed. A name that is not found is allowed: it leads
    /// nowhere.
    /// - Parameter host: a name, or an address without brackets.
    package func mayReach(_ host: String) async -> Bool {
        do throws(WebhookFailure) {
            _ = try await resolver.allowedAddresses(of: host, private: allowsPrivate)
            return true
        } catch {
            if case .address = error { return false }
            return true
        }
    }

    package func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let end = ContinuousClock.now + deadline.duration
        let host = CheckedTransport.host(of: request.authority ?? "")
        let addresses: [ClientAddress]
        do throws(WebhookFailure) {
            addresses = try await resolver.allowedAddresses(of: host, private: allowsPrivate)
        } catch { throw .notSent(reason: CheckedTransport.reason(error)) }
        var failure = TransportFailure.notSent(reason: "the host's name was not found")
        for address in addresses {
            let left = Span(until: end)
            do {
                return try await clients.with(host, at: address) { client in
                    try await HTTPClientTransport.send(request, body: body, deadline: left, over: client)
                }
            } catch {
                failure = error as? TransportFailure ?? .unknown(reason: "the connection failed")
            }
            // Only what certainly was not sent is sent to another address.
            guard case .notSent = failure else { break }
        }
        throw failure
    }

    /// Returns the reason without the address: whoever named the host may not be the owner of the network.
    private static func reason(_ failure: WebhookFailure) -> String {
        switch failure {
        case .address: "its address is inside the counter's network, or nobody's"
        case .resolversBusy: "the host's name was not looked for in time"
        case .nameNotFound, .url, .noAnswer: "the host's name was not found"
        }
    }

    /// Returns the host of an authority, without brackets and port.
    private static func host(of authority: String) -> String {
        authority.hasPrefix("[")
            ? String(authority.dropFirst().prefix { $0 != "]" }) : String(authority.prefix { $0 != ":" })
    }
}

extension Span {
    /// Creates the span from now to an instant; negative once it has passed.
    package init(until end: ContinuousClock.Instant) {
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: end).components
        self.init(milliseconds: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
