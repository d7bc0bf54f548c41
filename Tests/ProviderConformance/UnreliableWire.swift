package import HTTPTypes
import Synchronization
package import TillCore

/// A transport in front of a stand-in's, on which one call goes wrong. It keeps the addresses.
package final class UnreliableWire: HTTPTransport, FaultyLine, CustomReflectable {
    private struct State {
        var fault: LineFault?
        var left = 0
        var addresses: [String] = []
    }
    private let base: any HTTPTransport
    private let state = Mutex(State())

    package init(_ base: any HTTPTransport) { self.base = base }

    /// Nothing: what the stand-in behind it knows is not the provider's.
    package var customMirror: Mirror { Mirror(self, children: []) }

    package var addresses: [String] { state.withLock { $0.addresses } }

    package func arm(_ fault: LineFault, after calls: Int, of verb: Verb) {
        state.withLock { ($0.fault, $0.left) = (fault, calls) }
    }

    package func disarm() -> Bool {
        state.withLock { state in
            defer { state.fault = nil }
            return state.fault == nil
        }
    }

    package func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let fault = state.withLock { state -> LineFault? in
            state.addresses.append(request.path ?? "")
            guard let fault = state.fault else { return nil }
            if state.left == 0 {
                state.fault = nil
                return fault
            }
            state.left -= 1
            return nil
        }
        switch fault {
        case .notSent: throw .notSent(reason: "connection refused")
        case .requestLost: throw .unknown(reason: "no answer in time")
        case .answerLost:
            _ = try await base.send(request, body: body, deadline: deadline)
            throw .unknown(reason: "no answer in time")
        case nil: return try await base.send(request, body: body, deadline: deadline)
        }
    }
}
