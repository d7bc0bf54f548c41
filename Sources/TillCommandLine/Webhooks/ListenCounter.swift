import Foundation
import HTTPTypes
import Synchronization
import TillCore

/// The counter that is listened to: its interface, with a key.
struct ListenCounter: Sendable {
    /// The address, without a slash at its end.
    let address: String
    private let scheme: String
    private let authority: String
    private let path: String
    private let key: Secret<String>
    private let transport: any HTTPTransport

    /// Checks an address and a key. Nothing is sent.
    /// - Throws: ``CommandError`` for an address without TLS that is not on this machine, and for a key that is none.
    init(address: String, key: Secret<String>, transport: any HTTPTransport) throws(CommandError) {
        guard ProviderText.address(address) != nil, let parts = URLComponents(string: address),
            let scheme = parts.scheme, let host = parts.host, !host.isEmpty, parts.user == nil, parts.query == nil,
            parts.fragment == nil
        else {
            throw CommandError(
                code: "invalid_address", what: "--counter is not the address of a counter.",
                next: "It is such as https://till.example; without TLS only on this machine.")
        }
        let text = key.reveal()
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CommandError(
                code: "invalid_key", what: "The key is empty or has characters that no key has.",
                next: "Use a key as till keys create has printed it.")
        }
        self.scheme = scheme
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        authority = parts.port.map { "\(name):\($0)" } ?? name
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        self.path = path
        self.address = "\(scheme)://\(authority)\(path)"
        (self.key, self.transport) = (key, transport)
    }

    /// Returns the position of the account's last event, after which only news come.
    func end() async throws(ListenFailure) -> Int64 {
        let (json, _) = try await document("/v1/orders?limit=1")
        // The cursor of a list of orders has the position of the journal behind that of the orders.
        guard let parts = json["cursor"]?.stringValue?.split(separator: "-"), parts.count == 2,
            let place = Int64(parts[1]), place >= 0
        else { throw .unusable("Its list of orders has no cursor.") }
        return place
    }

    /// Reads a payment.
    func payment(_ id: PaymentID) async throws(ListenFailure) -> ListenPayment {
        // An identifier that was checked has no character that ends a path but these.
        let name = id.rawValue.utf8.allSatisfy { !"/?#%".utf8.contains($0) } ? id.rawValue : ""
        let (json, isTestMode) = try await document("/v1/payments/\(name)")
        guard let payment = ListenPayment(json, isTestMode: isTestMode) else {
            throw .unusable("The payment \(id) cannot be read.")
        }
        return payment
    }

    /// Reads one connection of the stream to its end.
    /// - Parameter take: receives each event in turn; `false` ends the connection.
    /// - Returns: when the counter or `take` has ended it.
    func events(
        after place: Int64, _ take: @escaping @Sendable (ListenEvent) -> Bool
    ) async throws(ListenFailure) {
        struct State: Sendable {
            var reader = ListenStreamReader()
            /// The beginning of an answer that is no stream.
            var other: [UInt8] = []
            var isEnded = false
        }
        let state = Mutex(State())
        var request = request("/v1/events", accepting: "text/event-stream")
        request.headerFields[ListenCounter.lastEvent] = String(place)
        let failure: TransportFailure?
        var response: HTTPResponse?
        do throws(TransportFailure) {
            response = try await transport.receive(
                request, atMost: ListenLimits.connectionBytes, deadline: ListenLimits.connection
            ) { piece in
                state.withLock { state in
                    let events = state.reader.read(piece)
                    if !state.reader.hasBegun {
                        state.other += piece.prefix(ListenLimits.lineBytes - state.other.count)
                    }
                    state.isEnded = state.reader.isTooLong || !events.allSatisfy(take)
                    return !state.isEnded
                }
            }
            failure = nil
        } catch { failure = error }
        let (hasBegun, isEnded, other) = state.withLock { ($0.reader.hasBegun, $0.isEnded, $0.other) }
        if hasBegun {
            // A stream that was cut, by its limits too, goes on with another connection.
            guard let failure, !isEnded else { return }
            throw .interrupted(failure.reason)
        }
        if let failure { throw .notReached(failure.reason) }
        if let response { throw ListenCounter.refusal(response, other) }
    }

    /// Reads a document, and whether the counter is in test mode.
    private func document(_ path: String) async throws(ListenFailure) -> (JSONValue, isTestMode: Bool) {
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(
                request(path, accepting: "application/json"), body: [], deadline: ListenLimits.exchange)
        } catch { throw .notReached(error.reason) }
        guard reply.response.status.code == 200 else { throw ListenCounter.refusal(reply.response, reply.body) }
        guard let json = JSONValue(ifValid: reply.body) else { throw .unusable("Its answer is no document.") }
        return (json, reply.response.headerFields[ListenCounter.mode] == "TEST")
    }

    private func request(_ path: String, accepting type: String) -> HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: self.path + path)
        request.headerFields[.authorization] = "Bearer \(key.reveal())"
        request.headerFields[.accept] = type
        return request
    }

    /// Judges an answer that is not what was asked for.
    private static func refusal(_ response: HTTPResponse, _ body: [UInt8]) -> ListenFailure {
        let status = response.status.code
        // A body that is not the counter's own is another server's, such as a proxy's.
        guard let json = JSONValue(ifValid: body), let code = json["code"]?.stringValue,
            let what = json["detail"]?.stringValue, let next = json["next"]?.stringValue
        else {
            guard status < 500 else { return .notReached("its answer has the status \(status)") }
            return .unusable("Its answer has the status \(status).")
        }
        let problem = ListenProblem(code: code, what: what, next: next)
        switch status {
        case 401, 403: return .keyRefused(problem)
        case 408, 429, 502...504: return .notReached(problem.what)
        default: return .refused(problem)
        }
    }

    private static let lastEvent = name("Last-Event-ID")
    private static let mode = name("Till-Mode")

    private static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .userAgent }
}

/// The counter's own words for a refusal.
struct ListenProblem: Hashable, Sendable {
    let code: String
    let what: String
    let next: String

    init(code: String, what: String, next: String) {
        self.code = ProviderText.word(code)
        self.what = ProviderText.line(what, atMost: ListenLimits.excerptBytes)
        self.next = ProviderText.line(next, atMost: ListenLimits.excerptBytes)
    }
}

/// The reason that the counter did not give what was asked for.
enum ListenFailure: Error, Hashable, Sendable {
    /// No answer, or none at the moment.
    case notReached(String)
    /// A stream had begun, and broke off.
    case interrupted(String)
    /// The key is not valid, or lacks a scope.
    case keyRefused(ListenProblem)
    /// Refused for another reason.
    case refused(ListenProblem)
    /// An answer that no counter gives.
    case unusable(String)
}

extension TransportFailure {
    fileprivate var reason: String {
        switch self {
        case .notSent(let reason), .unknown(let reason): reason
        }
    }
}
