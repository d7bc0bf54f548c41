import AsyncHTTPClient
import NIOCore
import NIOSSL
import Synchronization
import TillCore
import TillCounter
import TillHTTP

/// The clients of checked addresses, kept for a moment so that one message after the other needs no connection of its
/// own. A client connects to the address that it was made for and to no other: it resolves nothing, so a name whose
/// address has changed gets another client, after the check of that address.
final class PinnedClients: Sendable {
    /// A host and the address that was checked for it.
    private struct Place: Hashable {
        let host: String
        let address: String
    }

    private struct Kept {
        let client: HTTPClient
        var users = 0
        var lastUsed: NIODeadline
    }

    private let kept = Mutex<[Place: Kept]>([:])
    private let connect: Span
    private let connectionsPerHost: Int

    /// - Parameters:
    ///   - connect: The time limit of a connection.
    ///   - connectionsPerHost: The most connections of a client.
    init(connect: Span = WebhookLimits.attempt, connectionsPerHost: Int = 8) {
        (self.connect, self.connectionsPerHost) = (connect, connectionsPerHost)
    }

    /// The rest of an unused connection. Shorter than receivers keep one: on one that the other side closes at the same
    /// moment a message would be lost, and repeated later.
    private static let idle = TimeAmount.milliseconds(500)
    /// The rest of an unused client, and the most clients that are kept.
    private static let rest = TimeAmount.seconds(30)
    private static let maximumKept = 64

    /// Does something with the client of a host at a checked address.
    func with<Answer: Sendable>(
        _ host: String, at address: ClientAddress, _ body: (HTTPClient) async throws -> Answer
    ) async throws -> Answer {
        let place = Place(host: host, address: address.description)
        let (client, spare) = enter(place)
        for other in spare { try? await other.shutdown() }
        defer { leave(place) }
        return try await body(client)
    }

    /// Returns the client of a place, and those that are not needed any more.
    private func enter(_ place: Place) -> (HTTPClient, [HTTPClient]) {
        kept.withLock { kept in
            let now = NIODeadline.now()
            if kept[place] == nil {
                kept[place] = Kept(client: client(of: place.host, at: place.address), lastUsed: now)
            }
            kept[place]?.users += 1
            kept[place]?.lastUsed = now
            var unused = kept.filter { $0.value.users == 0 }.sorted { $0.value.lastUsed < $1.value.lastUsed }[...]
            var spare: [HTTPClient] = []
            while let oldest = unused.first,
                kept.count > PinnedClients.maximumKept || now - oldest.value.lastUsed > PinnedClients.rest
            {
                unused = unused.dropFirst()
                kept[oldest.key] = nil
                spare.append(oldest.value.client)
            }
            // The client is there: it was put in above.
            return (kept[place]?.client ?? client(of: place.host, at: place.address), spare)
        }
    }

    private func leave(_ place: Place) {
        kept.withLock { kept in
            kept[place]?.users -= 1
            kept[place]?.lastUsed = .now()
        }
    }

    private func client(of host: String, at address: String) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.certificateVerification = .fullVerification
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(connect.milliseconds)), proxy: nil, decompression: .disabled)
        AnswerGuard.install(in: &configuration)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.idleTimeout = PinnedClients.idle
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHost
        configuration.dnsOverride = [host: address]
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        let clients = kept.withLock { $0.values.map(\.client) }
        guard !clients.isEmpty else { return }
        Task { for client in clients { try? await client.shutdown() } }
    }
}
