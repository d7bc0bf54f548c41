package import HTTPTypes
import Synchronization
package import TillCore

/// For tests of provider rooms: answers in order and keeps what was asked. PayPal's token service is answered by itself
/// unless a script says otherwise.
package final class ScriptedTransport: HTTPTransport {
    package enum Step: Sendable {
        case json(Int, String)
        case fail(TransportFailure)
    }
    package struct Call: Sendable {
        package var request: HTTPRequest
        package var body: String
        package var line: String { "\(request.method.rawValue) \(request.path ?? "")" }
        package func field(_ name: String) -> String? {
            request.headerFields.first { $0.name.canonicalName == name.lowercased() }?.value
        }
        /// The key under the provider's own name for it.
        package var key: String? { field("Idempotency-Key") ?? field("PayPal-Request-Id") }
    }

    private let state: Mutex<(steps: [Step], calls: [Call], tokens: Int)>
    private let scriptsTokens: Bool
    package init(_ steps: [Step], scriptsTokens: Bool = false) {
        state = Mutex((steps, [], 0))
        self.scriptsTokens = scriptsTokens
    }
    package var calls: [Call] { state.withLock { $0.calls } }
    package var tokens: Int { state.withLock { $0.tokens } }

    package func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        if request.path == "/v1/oauth2/token", !scriptsTokens {
            let number = state.withLock {
                $0.tokens += 1
                return $0.tokens
            }
            return reply(200, #"{"access_token":"markedtoken\#(number)","token_type":"Bearer","expires_in":32400}"#)
        }
        let step = state.withLock { state -> Step in
            state.calls.append(Call(request: request, body: String(decoding: body, as: UTF8.self)))
            return state.steps.isEmpty ? .fail(.notSent(reason: "script is over")) : state.steps.removeFirst()
        }
        switch step {
        case .json(let status, let text): return reply(status, text)
        case .fail(let failure): throw failure
        }
    }

    /// Every provider's name for a request's number.
    private func reply(_ status: Int, _ text: String) -> HTTPReply {
        var response = HTTPResponse(status: .init(code: status))
        for (field, value) in [("Request-Id", "req_1"), ("PayPal-Debug-Id", "debug1")] {
            if let name = HTTPField.Name(field) { response.headerFields[name] = value }
        }
        return HTTPReply(response: response, body: Array(text.utf8))
    }
}
