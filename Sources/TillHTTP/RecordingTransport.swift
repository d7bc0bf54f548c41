public import HTTPTypes
internal import Synchronization
public import TillCore

/// Passes everything on and keeps what passed, scrubbed, so that a test can read the real wire.
///
/// The `Authorization` and `X-API-Key` fields, form fields that end in `[number]` or `[cvc]`, and any text that could
/// be a card number are masked before they are kept.
public final class RecordingTransport: HTTPTransport {
    /// One request and what came of it, scrubbed.
    public struct Exchange: Hashable, Sendable {
        /// The method of HTTP, such as `GET`.
        public var method: String
        public var path: String
        /// Header fields in their order.
        public var fields: [String]
        /// The request's body as text.
        public var body: String
        /// The answer's status; `nil` if there was no answer.
        public var status: Int?
        /// The answer's body as text, or why there was none.
        public var answer: String
    }

    private static let secretFields: Set<String> = ["authorization", "x-api-key"]

    private let next: any HTTPTransport
    private let kept = Mutex<[Exchange]>([])

    /// Records what goes through `next`.
    public init(_ next: any HTTPTransport) { self.next = next }

    /// Everything so far, in the order in which the answers came.
    public var exchanges: [Exchange] { kept.withLock { $0 } }

    /// Passes the request on.
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
                ? "\(field.name.rawName): \(CardScrubbing.mask)"
                : "\(field.name.rawName): \(CardScrubbing.withoutNumbers(field.value))"
        }
        let exchange = Exchange(
            method: request.method.rawValue, path: CardScrubbing.withoutNumbers(request.path ?? ""), fields: fields,
            body: CardScrubbing.body(String(decoding: body, as: UTF8.self)), status: status,
            answer: CardScrubbing.body(answer))
        kept.withLock { $0.append(exchange) }
    }
}
