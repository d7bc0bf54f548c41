import Synchronization
package import TillCore
import TillCounter

/// Signed calls to programs of shops, whose answers are waited for: one attempt each, nothing is kept. They are signed
/// with the secret of a webhook endpoint and go to the origin of its URL only, so that whoever may sell reaches no
/// address that the owner of the counter has not allowed.
package struct SignedCalls: Sendable {
    /// The limits of one call.
    package struct Limits: Sendable {
        /// The time limit, from the resolution of the name to the last byte of the answer.
        package var time: Span
        /// The maximum size of the answer's body, in bytes.
        package var answerBytes: Int

        package init(time: Span, answerBytes: Int) { (self.time, self.answerBytes) = (time, answerBytes) }
    }

    /// The calls that are being made in this process.
    private final class Places: Sendable {
        private let counts = Mutex<[WebhookEndpointID: Int]>([:])

        /// A shop that answers slowly leaves others their places.
        func enter(_ endpoint: WebhookEndpointID) -> Bool {
            counts.withLock { counts in
                let own = counts[endpoint] ?? 0
                guard own < WebhookLimits.callsPerEndpoint,
                    counts.values.reduce(0, +) < WebhookLimits.callsInAll
                else { return false }
                counts[endpoint] = own + 1
                return true
            }
        }

        func leave(_ endpoint: WebhookEndpointID) {
            counts.withLock { counts in
                let left = (counts[endpoint] ?? 1) - 1
                counts[endpoint] = left > 0 ? left : nil
            }
        }
    }

    private let endpoints: WebhookEndpoints
    private let transport: any CallTransport
    private let places = Places()

    package init(_ endpoints: WebhookEndpoints, transport: any CallTransport = PinnedTransport()) {
        (self.endpoints, self.transport) = (endpoints, transport)
    }

    /// `true` if real money is involved at this counter.
    package var isLive: Bool { endpoints.mode == .live }

    /// Checks that a URL may be called with the secret of an endpoint.
    package func check(
        _ url: String, of endpoint: WebhookEndpointID, account: AccountID
    ) async throws(SignedCallError) {
        _ = try await target(url, of: endpoint, account: account)
    }

    /// Sends a body, signed as a message (Standard Webhooks 1.0.0), and returns the answer.
    package func call(
        _ url: String, of endpoint: WebhookEndpointID, account: AccountID, body: [UInt8], limits: Limits
    ) async throws(SignedCallError) -> WebhookAnswer {
        guard places.enter(endpoint) else { throw .busy }
        defer { places.leave(endpoint) }
        let (target, kept) = try await target(url, of: endpoint, account: account)
        let now = endpoints.clock.now()
        let secrets: [WebhookSecret]
        do throws(StaffError) { secrets = try kept.opened(at: now, by: endpoints.pepper) } catch {
            throw .endpoint(.sealing(error))
        }
        let fields = WebhookHeaders.fields(
            id: WebhookMessageID.random().rawValue, at: now, body: body, secrets: secrets)
        do throws(WebhookFailure) {
            return try await transport.ask(
                body, at: target, fields: fields,
                allowsPrivate: kept.allowsPrivate && endpoints.reachesInside(account), within: limits.time,
                atMost: limits.answerBytes)
        } catch { throw .failed(error) }
    }

    /// Returns the URL, checked, with the endpoint that it belongs to.
    private func target(
        _ url: String, of id: WebhookEndpointID, account: AccountID
    ) async throws(SignedCallError) -> (WebhookURL, WebhookEndpoint) {
        let endpoint: WebhookEndpoint
        do throws(WebhookError) { endpoint = try await endpoints.endpoint(id, of: account) } catch {
            throw .endpoint(error)
        }
        guard endpoint.isEnabled else { throw .endpoint(.disabled) }
        let (called, own): (WebhookURL, WebhookURL)
        do throws(WebhookURLError) {
            called = try WebhookURL(url, allowsPrivate: endpoint.allowsPrivate)
            own = try WebhookURL(endpoint.url, allowsPrivate: endpoint.allowsPrivate)
        } catch { throw .endpoint(.url(error)) }
        guard called.origin == own.origin else { throw .otherOrigin }
        return (called, endpoint)
    }
}

/// The reason that a signed call has no answer.
package enum SignedCallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The endpoint is unknown, disabled, or its secret cannot be opened; or the URL is none that may be called.
    case endpoint(WebhookError)
    /// The URL has another scheme, host or port than the endpoint's.
    case otherOrigin
    /// As many calls are being made as may; nothing was sent.
    case busy
    case failed(WebhookFailure)

    package var description: String {
        switch self {
        case .endpoint(let error): error.what
        case .otherOrigin: "It must have the scheme, host and port of the webhook endpoint's URL."
        case .busy: "As many calls as may be are waiting for answers."
        case .failed(let failure): "\(failure)"
        }
    }
}
