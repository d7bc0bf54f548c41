// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import HTTPTypes
import TillCore
import TillHTTP

/// Of `HTTPClientTransport.swift`.
private func example1() async throws {
    let transport = HTTPClientTransport()
    let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example.com", path: "/v1/status")
    do throws(TransportFailure) {
        let reply = try await transport.send(request, body: [], deadline: .seconds(10))
        print(reply.response.status.code, reply.body.count)
    } catch { print("No answer: \(error)") }
    await transport.shutdown()
    _ = transport
    _ = request
}
