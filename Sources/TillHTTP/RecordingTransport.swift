public import HTTPTypes
internal import Synchronization
public import TillCore

/// Forwards everything and records it, scrubbed, so that a test can inspect the actual wire traffic.
///
/// The `Authorization` and `X-API-Key` fields, form fields that end in `[number]` or `[cvc]`, and any text that could
/// be a card number are masked before they are recorded.
public final class RecordingTransport: HTTPTransport {
    /// A request and its response, scrubbed.
    public struct Exchange: Hashable, Sendable {
        /// The HTTP method, such as `GET`.
        public var method: String
        public var path: String
        /// The header fields, in order.
        public var fields: [String]
        /// The request's body as text.
        public var body: String
        /// The response's status; `nil` if there was no response.
        public var status: Int?
        /// The response's body as text, or the reason that there was none.
        public var answer: String
    }

    private static let secretFields: Set<String> = ["authorization", "x-api-key"]

    private let next: any HTTPTransport
    private let kept = Mutex<[Exchange]>([])

    /// Creates a recorder of the traffic through `next`.
    public init(_ next: any HTTPTransport) { self.next = next }

    /// All exchanges so far, in the order in which the responses arrived.
    public var exchanges: [Exchange] { kept.withLock { $0 } }

    /// Forwards the request.
    public func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        do throws(TransportFailure) {
            let reply = try await next.send(request, body: body, deadline: deadline)
            keep(request, body, status: reply.response.status.code, String(decoding: reply.body, as: UTF8.self))
            return reply
        } catch {
            keep(request, body, status: nil, "\(error)")
            throw error
        }
    }

    private func keep(_ request: HTTPRequest, _ body: [UInt8], status: Int?, _ answer: String) {
        let fields = request.headerFields.map { field in
            RecordingTransport.secretFields.contains(field.name.canonicalName)
                ? "\(field.name.rawName): \(CardNumberMask.mask)"
                : "\(field.name.rawName): \(CardNumberMask.maskedForPeople(field.value))"
        }
        let exchange = Exchange(
            method: request.method.rawValue, path: CardNumberMask.maskedForPeople(request.path ?? ""), fields: fields,
            body: CardNumberMask.body(String(decoding: body, as: UTF8.self)), status: status,
            answer: CardNumberMask.body(answer))
        kept.withLock { $0.append(exchange) }
    }
}
