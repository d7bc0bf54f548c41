import HTTPTypes
import TillCore

/// A transport whose changes are not broken off when the counter stops: the shop would carry them out all the same, and
/// the answer says so. Questions are.
struct UnbrokenTransport: HTTPTransport {
    let wire: any HTTPTransport

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        guard request.method != .get else { return try await wire.send(request, body: body, deadline: deadline) }
        guard !Task.isCancelled else { throw .notSent(reason: "canceled before it was sent") }
        let sending = Task { [wire] () async -> Result<HTTPReply, TransportFailure> in
            do throws(TransportFailure) {
                return .success(try await wire.send(request, body: body, deadline: deadline))
            } catch { return .failure(error) }
        }
        return try await sending.value.get()
    }
}
