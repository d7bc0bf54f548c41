package import HTTPTypes
import Synchronization
package import TillCore

/// A provider that rejects our key for a while: while it does, nothing reaches it.
package final class RejectingTransport<Base: HTTPTransport>: HTTPTransport {
    package let base: Base
    private let status = Mutex<Int?>(nil)

    package init(_ base: Base) { self.base = base }

    /// - Parameter code: the status that every request is answered with; `nil`: the key is right again.
    package func reject(with code: Int?) { status.withLock { $0 = code } }

    package func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        if let code = status.withLock({ $0 }) {
            return HTTPReply(response: HTTPResponse(status: .init(code: code)), body: [])
        }
        return try await base.send(request, body: body, deadline: deadline)
    }
}
