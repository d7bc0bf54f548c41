import Foundation
import HTTPTypes
package import TillCore

/// Talks to one shop with WooCommerce, in its REST interface v3: Basic over TLS, OAuth 1.0a without.
///
/// Nothing is sent twice by itself. A change whose answer is missing, or is a page instead of a document, is
/// ``ShopError/lost(_:)``: it may have been carried out. A question without a usable answer is
/// ``ShopError/unavailable(_:)``. Redirects are not followed, so that the key reaches the named shop alone, and no
/// error repeats the secret, also where the shop does. Any number of calls may run concurrently; two that record or
/// refund the same thing must not, since shops have no idempotency.
package struct ShopClient: Sendable {
    package let shop: ShopURL
    private let key: ShopKey
    private let transport: any HTTPTransport
    private let clock: any TillClock
    private let deadline: Span

    /// - Parameter deadline: the time limit of a call, at most ``ShopLimits/deadline``.
    package init(
        _ shop: ShopURL, key: ShopKey, transport: any HTTPTransport, clock: any TillClock,
        deadline: Span = ShopLimits.deadline
    ) {
        (self.shop, self.key, self.transport, self.clock) = (shop, key, transport, clock)
        self.deadline = min(deadline, ShopLimits.deadline)
    }

    /// A document, with the number of all elements if it is a page of a list.
    struct Answer {
        var document: JSONValue
        var total: Int?
    }

    /// Asks for a document; nothing changes in the shop.
    func get(_ path: String, _ query: [(name: String, value: String)] = []) async throws(ShopError) -> Answer {
        try await call(.get, path, query, nil)
    }

    /// Sends a change.
    func change(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue) async throws(ShopError) -> JSONValue {
        try await call(method, path, [], body).document
    }

    /// Deletes something for good.
    func remove(_ path: String) async throws(ShopError) -> JSONValue {
        try await call(.delete, path, [("force", "true")], nil).document
    }

    private func call(
        _ method: HTTPRequest.Method, _ path: String, _ query: [(name: String, value: String)], _ body: JSONValue?
    ) async throws(ShopError) -> Answer {
        let isChange = method != .get
        let reply: HTTPReply
        do throws(TransportFailure) {
            reply = try await transport.send(
                request(method, path, query, hasBody: body != nil), body: body?.bytes() ?? [], deadline: deadline)
        } catch {
            switch error {
            case .notSent(let reason): throw .notSent(reason)
            case .unknown(let reason): throw isChange ? .lost(reason) : .unavailable(reason)
            }
        }
        return try read(reply, isChange: isChange)
    }

    /// The pair as it is sent over TLS.
    private var basic: String { Data("\(key.key):\(key.secret.reveal())".utf8).base64EncodedString() }

    /// Returns words of the shop, shortened and without the secret.
    func short(_ text: String?) -> String { text == nil ? "" : ShopMessage.short(text, without: secrets) }

    /// What no words of the shop may repeat; the header without its padding, which a shop may leave out or write
    /// otherwise.
    private var secrets: [String] { [key.secret.reveal(), String(basic.prefix { $0 != "=" })] }

    private func request(
        _ method: HTTPRequest.Method, _ path: String, _ query: [(name: String, value: String)], hasBody: Bool
    ) -> HTTPRequest {
        let full = shop.interface + path
        var query = query
        var fields = HTTPFields()
        fields[.accept] = "application/json"
        fields[.userAgent] = "Till"
        if hasBody { fields[.contentType] = "application/json; charset=utf-8" }
        if shop.isSecure {
            fields[.authorization] = "Basic \(basic)"
        } else {
            query = OAuthSigner(key: key).signed(
                method: method.rawValue, address: "http://\(shop.authority)\(full)", query: query, at: clock.now(),
                nonce: OAuthSigner.nonce())
        }
        let rest = query.isEmpty ? "" : "?" + PercentEncoding.query(query)
        return HTTPRequest(
            method: method, scheme: shop.isSecure ? "https" : "http", authority: shop.authority, path: full + rest,
            headerFields: fields)
    }

    /// Judges an answer.
    private func read(_ reply: HTTPReply, isChange: Bool) throws(ShopError) -> Answer {
        func without(_ reason: String) -> ShopError { isChange ? .lost(reason) : .unavailable(reason) }
        let status = reply.response.status.code
        guard reply.body.count <= ShopLimits.answerBytes else { throw without("the answer is too long") }
        // A plugin may print notices of PHP before the document; that is no document.
        let document = JSONValue(ifValid: reply.body)
        let message = (200...299).contains(status) ? ShopMessage(nil) : ShopMessage(document, without: secrets)
        switch status {
        case 200...299:
            guard let document else { throw without("it is a page and no document (status \(status))") }
            let total = HTTPField.Name("X-WP-Total").flatMap { reply.response.headerFields[$0] }.flatMap { Int($0) }
            return Answer(document: document, total: total)
        case 300...399: throw .redirected
        case 401, 403: throw .unauthorized(message)
        case 404, 410:
            // A page with 404 is of a server that does not know the interface.
            guard document != nil else { throw .refused(status: status, message) }
            throw .notFound(message)
        case 408, 429: throw isChange && status == 408 ? .lost("status 408") : .unavailable("status \(status)")
        case 400...499: throw .refused(status: status, message)
        default:
            // The interface reports some refusals as 500, with a code of its own.
            if status == 500, message.code.hasPrefix("woocommerce_rest_") {
                throw .refused(status: status, message)
            }
            throw without("status \(status)")
        }
    }
}
