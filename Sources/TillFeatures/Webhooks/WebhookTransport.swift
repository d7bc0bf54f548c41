import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
package import TillCore
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

/// Asks a shop's program for an answer that is read whole.
package protocol CallTransport: Sendable {
    /// Sends a body once and returns the answer. Follows no redirect.
    /// - Parameters:
    ///   - within: The time limit of the whole exchange, from the resolution of the name to the last byte.
    ///   - limit: The maximum size of the answer's body, in bytes.
    func ask(
        _ body: [UInt8], at url: WebhookURL, fields: [(name: String, value: String)], allowsPrivate: Bool, within: Span,
        atMost limit: Int
    ) async throws(WebhookFailure) -> WebhookAnswer
}

/// The transport that connects to checked addresses only: the name is resolved once, every address of it is checked,
/// and the connection goes to one of those, so that a name whose address changes in between (DNS rebinding) leads
/// nowhere else. TLS still verifies the name.
///
/// Each attempt resolves and checks anew; what it connects with, or finds connected, belongs to the address that it has
/// checked (``PinnedClients``).
package struct PinnedTransport: WebhookTransport, CallTransport {
    private let resolver: any HostResolver
    private let clients = PinnedClients()

    package init(resolver: any HostResolver = SystemResolver()) { self.resolver = resolver }

    package func post(
        _ body: [UInt8], to url: WebhookURL, fields: [(name: String, value: String)], allowsPrivate: Bool, attempt: Int
    ) async throws(WebhookFailure) -> WebhookAnswer {
        let answer = try await exchange(
            body, to: url, fields: fields, allowsPrivate: allowsPrivate, attempt: attempt, within: WebhookLimits.attempt
        ) { body, end in await PinnedTransport.start(of: body, until: end) }
        return WebhookAnswer(status: answer.status, retryAfter: answer.retryAfter, body: answer.body)
    }

    package func ask(
        _ body: [UInt8], at url: WebhookURL, fields: [(name: String, value: String)], allowsPrivate: Bool, within: Span,
        atMost limit: Int
    ) async throws(WebhookFailure) -> WebhookAnswer {
        let answer = try await exchange(
            body, to: url, fields: fields, allowsPrivate: allowsPrivate, attempt: 0, within: within
        ) { body, end in await PinnedTransport.whole(of: body, until: end, atMost: limit) }
        guard let whole = answer.body else { throw .noAnswer("its body is incomplete or has more than \(limit) bytes") }
        return WebhookAnswer(status: answer.status, retryAfter: answer.retryAfter, body: whole)
    }

    /// The head of an answer with what was read of its body.
    private struct Exchange<Body: Sendable>: Sendable {
        let status: Int
        let retryAfter: String?
        let body: Body
    }

    /// Sends a body to the checked address of a host, and reads the answer.
    private func exchange<Body: Sendable>(
        _ body: [UInt8], to url: WebhookURL, fields: [(name: String, value: String)], allowsPrivate: Bool, attempt: Int,
        within: Span, read: @Sendable (HTTPClientResponse.Body, NIODeadline) async -> Body
    ) async throws(WebhookFailure) -> Exchange<Body> {
        let end = NIODeadline.now() + .milliseconds(within.milliseconds)
        let address = try await checked(url, allowsPrivate: allowsPrivate, attempt: attempt)
        guard let location = url.url else { throw .url(.form) }
        var request = HTTPClientRequest(url: location.absoluteString)
        request.method = .POST
        for field in fields { request.headers.add(name: field.name, value: field.value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let sent = request
        do {
            return try await clients.with(url.host, at: address) { client in
                let answer = try await client.execute(sent, deadline: end)
                let found = await read(answer.body, end)
                return Exchange(
                    status: Int(answer.status.code), retryAfter: answer.headers.first(name: "retry-after"), body: found)
            }
        } catch {
            switch TransportFailure(verdictOn: error) {
            case .notSent(let reason), .unknown(let reason): throw .noAnswer(reason)
            }
        }
    }

    /// Resolves the host and returns the address to connect to.
    private func checked(
        _ url: WebhookURL, allowsPrivate: Bool, attempt: Int
    ) async throws(WebhookFailure) -> ClientAddress {
        let addresses = try await resolver.allowedAddresses(of: url.host, private: allowsPrivate)
        return addresses[abs(attempt % addresses.count)]
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

    /// Returns an answer's whole body; `nil` for one that breaks off, does not come in time or is too large.
    private static func whole(
        of body: HTTPClientResponse.Body, until end: NIODeadline, atMost limit: Int
    ) async -> [UInt8]? {
        let reading = Task { () -> [UInt8]? in
            var whole: [UInt8] = []
            do {
                for try await part in body {
                    guard whole.count + part.readableBytes <= limit else { return nil }
                    whole += part.readableBytesView
                }
            } catch { return nil }
            return Task.isCancelled ? nil : whole
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
