package import HTTPTypes
package import TillCore

/// A transport that passes requests to the stand-in for a shop, without a network: what ``SandboxShopServer`` answers
/// over TLS, its control under `/_sandbox` included. For tests and simulations.
///
/// It sends no webhooks. A request that "times out" is held for the stall, on the clock; the deadline of a call is the
/// caller's affair. Any number of calls may run concurrently.
package struct SandboxShopTransport: HTTPTransport {
    private let standIn: ShopStandIn

    /// Creates a shop.
    /// - Parameters:
    ///   - openOrders: the number of pending orders at the beginning.
    ///   - stall: the time that a request which "times out" is held before its 504.
    ///   - home: the shop's own address, without a slash at the end.
    package init(
        openOrders: Int = 0, clock: any TillClock, stall: Span = .seconds(25), home: String = "https://shop.example"
    ) async {
        let webhooks = ShopWebhooks(clock: clock, transport: nil)
        let ledger = ShopLedger(clock: clock, webhooks: webhooks)
        await ledger.open(openOrders)
        standIn = ShopStandIn(
            ledger: ledger, webhooks: webhooks, authenticator: ShopAuthenticator(clock: clock), faults: ShopFaults(),
            clock: clock, stall: stall, home: home)
    }

    /// Passes a request to the stand-in.
    /// - Throws: `TransportFailure.unknown(reason:)` if the shop closes the connection without an answer.
    package func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let halves = (request.path ?? "/").split(separator: "?", maxSplits: 1)
        let call = ShopCall(
            method: request.method.rawValue, path: halves.first.map { String($0) } ?? "/",
            query: PHPParameters(query: halves.count > 1 ? halves[1] : ""),
            authorization: request.headerFields[.authorization], contentType: request.headerFields[.contentType],
            isSecure: request.scheme == "https", body: body)
        guard let answer = await standIn.answer(call) else {
            throw .unknown(reason: "the shop closed the connection")
        }
        var response = HTTPResponse(status: HTTPResponse.Status(code: answer.status))
        response.headerFields[.contentType] = answer.type
        for field in answer.fields {
            if let name = HTTPField.Name(field.name) { response.headerFields[name] = field.value }
        }
        return HTTPReply(response: response, body: answer.bytes)
    }
}
