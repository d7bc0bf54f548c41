package import HTTPTypes
package import TillCore

extension HTTPTransport {
    /// Sends a webhook until it is accepted, with at most `tries` attempts, after 1, 2, 4 … seconds.
    package func sendPersistently(_ request: HTTPRequest, body: [UInt8], tries: Int, clock: any TillClock) async {
        for attempt in 0..<tries {
            let reply = try? await send(request, body: body, deadline: .seconds(10))
            if let reply, (200..<300).contains(reply.response.status.code) { return }
            // No wait after the last attempt.
            guard attempt + 1 < tries else { return }
            guard await clock.pause(for: .seconds(Int64(1) << Int64(min(attempt, 16)))) else { return }
        }
    }
}
