import HTTPTypes
import Synchronization
import TillCore

/// A planted fault between the counter and its readers: a disabled safeguard of sales at readers.
final class PlantedReaderWire: HTTPTransport {
    private let base: any HTTPTransport
    private let plant: PlantedFault
    private struct State {
        /// The last status that a reader reported for a payment intent.
        var said: [String: String] = [:]
        var calls = 0
    }
    private let state = Mutex(State())

    init(base: any HTTPTransport, plant: PlantedFault) {
        self.base = base
        self.plant = plant
    }

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        let parts = (request.path ?? "").split(separator: "?").first?.split(separator: "/").map(String.init) ?? []
        let isPost = request.method == .post
        let isIntent = parts.count > 1 && parts[1] == "payment_intents"
        switch plant {
        case .readerBelieved where !isPost:
            let reply = try await base.send(request, body: body, deadline: deadline)
            return isIntent ? believed(reply) : remembered(reply)
        case .intentForEachTry where isPost && isIntent && parts.count == 2:
            var request = request
            let call = state.withLock { state in
                state.calls += 1
                return state.calls
            }
            if let name = HTTPField.Name("Idempotency-Key"), let key = request.headerFields[name] {
                request.headerFields[name] = "\(key)-\(call)-\(ObjectIdentifier(self).hashValue & 0xFFFF)"
            }
            return try await base.send(request, body: body, deadline: deadline)
        case .intentNotCanceled where isPost && isIntent && parts.last == "cancel":
            // Read instead of canceled, and reported as canceled.
            var query = request
            query.method = .get
            query.path = "/" + parts.dropLast().joined(separator: "/")
            let reply = try await base.send(query, body: [], deadline: deadline)
            return changed(reply) { json in
                let isOpen = PlantedReaderWire.open.contains(json["status"]?.stringValue ?? "")
                return isOpen ? json.with("status", .string("canceled")) : json
            }
        case .readerNotCalledOff where isPost && parts.last == "cancel_action":
            var query = request
            query.method = .get
            query.path = "/" + parts.dropLast().joined(separator: "/")
            return changed(try await base.send(query, body: [], deadline: deadline)) { $0.with("action", .null) }
        case .readerRefundNotQueried where !isPost && parts.count == 2 && parts[1] == "refunds":
            return changed(try await base.send(request, body: body, deadline: deadline)) {
                $0.with("data", .array([]))
            }
        default: return try await base.send(request, body: body, deadline: deadline)
        }
    }

    private static let open: Set<String> = ["requires_payment_method", "requires_confirmation"]

    private func remembered(_ reply: HTTPReply) -> HTTPReply {
        guard let action = (try? JSONValue(parsing: reply.body))?["action"],
            let kind = action["type"]?.stringValue, let intent = action[kind]?["payment_intent"]?.stringValue,
            let status = action["status"]?.stringValue
        else { return reply }
        state.withLock { $0.said[intent] = status }
        return reply
    }

    /// Returns the intent as it would be if its reader reported the truth.
    private func believed(_ reply: HTTPReply) -> HTTPReply {
        changed(reply) { json in
            guard let id = json["id"]?.stringValue, let status = json["status"]?.stringValue else { return json }
            switch state.withLock({ $0.said[id] }) {
            case "succeeded" where PlantedReaderWire.open.contains(status):
                return json.with("status", .string("requires_capture"))
                    .with("amount_capturable", json["amount"] ?? .null)
            case "failed" where status == "requires_capture":
                return json.with("status", .string("requires_payment_method"))
            default: return json
            }
        }
    }

    private func changed(_ reply: HTTPReply, _ change: (JSONValue) -> JSONValue) -> HTTPReply {
        guard reply.response.status == .ok, let json = try? JSONValue(parsing: reply.body) else { return reply }
        var reply = reply
        reply.body = Array(change(json).text.utf8)
        return reply
    }
}
