import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TillCore
import TillCounter
import TillHTTP

/// Makes one attempt.
package protocol WebhookTransport: Sendable {
    /// Sends a body and returns the head of the answer with the beginning of its body. Follows no redirect.
    /// - Parameter attempt: The number of earlier attempts, which chooses among the addresses of the name.
    func post(
        _ body: [UInt8], to url: WebhookURL, fields: [(name: String, value: String)], allowsPrivate: Bool, attempt: Int
    ) async throws(WebhookFailure) -> WebhookAnswer
}

/// The transport that connects to checked addresses only: the name is resolved once, every address of it is checked,
/// and the connection goes to one of those, so that a name whose address changes in between (DNS rebinding) leads
/// nowhere else. TLS still verifies the name.
///
/// Each attempt has a client of its own: a client resolves names by itself but for those that it was created with, and
/// a pooled connection would outlive the check of its address.
package struct PinnedTransport: WebhookTransport {
    private let resolver: any HostResolver

    package init(resolver: any HostResolver = SystemResolver()) { self.resolver = resolver }

    package func post(
        _ body: [UInt8], to url: WebhookURL, fields: [(name: String, value: String)], allowsPrivate: Bool, attempt: Int
    ) async throws(WebhookFailure) -> WebhookAnswer {
        let end = NIODeadline.now() + .milliseconds(WebhookLimits.attempt.milliseconds)
        let address = try await checked(url, allowsPrivate: allowsPrivate, attempt: attempt)
        guard let location = url.url else { throw .url(.form) }
        var request = HTTPClientRequest(url: location.absoluteString)
        request.method = .POST
        for field in fields { request.headers.add(name: field.name, value: field.value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let client = PinnedTransport.client(of: url.host, at: address)
        do {
            let answer = try await client.execute(request, deadline: end)
            let start = await PinnedTransport.start(of: answer.body, until: end)
            try? await client.shutdown()
            return WebhookAnswer(
                status: Int(answer.status.code), retryAfter: answer.headers.first(name: "retry-after"), body: start)
        } catch {
            try? await client.shutdown()
            switch TransportFailure(verdictOn: error) {
            case .notSent(let reason), .unknown(let reason): throw .noAnswer(reason)
            }
        }
    }

    /// Resolves the host and returns the address to connect to.
    private func checked(
        _ url: WebhookURL, allowsPrivate: Bool, attempt: Int
    ) async throws(WebhookFailure) -> ClientAddress {
        let addresses: [ClientAddress]
        if let address = ClientAddress(url.host) {
            addresses = [address]
        } else {
            guard let found = await resolver.addresses(of: url.host) else { throw .resolversBusy }
            addresses = found
        }
        guard !addresses.isEmpty else { throw .nameNotFound }
        for address in addresses where !AddressReach(address).isAllowed(private: allowsPrivate) {
            throw .address(address.description)
        }
        return addresses[abs(attempt % addresses.count)]
    }

    private static func client(of host: String, at address: ClientAddress) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.certificateVerification = .fullVerification
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(WebhookLimits.attempt.milliseconds)), proxy: nil,
            decompression: .disabled)
        AnswerGuard.install(in: &configuration)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = [host: address.description]
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Returns the beginning of an answer's body; what does not come in time is left out, since the head decides.
    private static func start(of body: HTTPClientResponse.Body, until end: NIODeadline) async -> [UInt8] {
        let reading = Task {
            var start: [UInt8] = []
            do {
                for try await part in body {
                    start += part.readableBytesView.prefix(WebhookLimits.answerBytes - start.count)
                    if start.count >= WebhookLimits.answerBytes { break }
                }
            } catch {}
            return start
        }
        let alarm = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(deadline: end) { reading.cancel() }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            reading.cancel()
        }
    }
}
