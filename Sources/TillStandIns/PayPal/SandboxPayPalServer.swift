import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
public import TillCore
import TillHTTP
public import TillSandbox

/// A stand-in for PayPal: Orders v2, Payments v2, Vault v3 and the token service over loopback, with PayPal's rules and
/// a clock that can be moved. For this machine only; it moves no real money.
///
/// Beyond PayPal's paths there are `GET /_sandbox/ledger`, the truth in minor units; `POST /_sandbox/faults` with
/// `{"operation":"capture","fault":"timeoutAfterCommit","times":1}`; `POST /_sandbox/webhooks` with
/// `{"url":"http://127.0.0.1:8080/webhooks/paypal"}` makes it tell what happens (without `url` they wait at the same
/// path for whoever gets them; `copies` and `before_answer` say how often and whether first); `POST /_sandbox/clock`
/// with `{"advance_seconds":345600}`; and `POST /_sandbox/action` with `{"reference":"…","succeeds":true}`, which acts
/// as the customer before the bank's challenge, as the page does to which the order's link leads. `POST
/// /_sandbox/aftersale` with `{"reference":"…","do":"dispute"}` plays what happens after the sale; `POST
/// /_sandbox/lists` with `{"late_seconds":10800}` keeps from the search of transactions what is younger; `POST
/// /_sandbox/rights` with `{"disputes":false}` takes the app's right to read them. A cardholder's name makes the card
/// be declined: `CCREJECT-IF` and the others of PayPal's own sandbox.
public struct SandboxPayPalServer: Sendable {
    /// The longest body that is read.
    static let maximumBody = 1 << 20
    /// How long a token is valid.
    static let tokenLife: Span = .hours(9)

    public let faults: SandboxFaults
    private let clock: any TillClock
    private let stall: Span

    /// A server with an empty ledger that does not listen yet.
    /// - Parameter stall: how long a request that "times out" is held before it gets a 504.
    public init(
        clock: any TillClock = SystemClock(), faults: SandboxFaults = SandboxFaults(), stall: Span = .seconds(100)
    ) {
        self.clock = clock
        self.faults = faults
        self.stall = stall
    }

    /// Serves on 127.0.0.1 until the task is canceled or the process receives a signal to end.
    /// - Parameters:
    ///   - port: zero takes a free one.
    ///   - onReady: is given the port once requests are taken.
    public func run(port: Int, onReady: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let account = PayPalLedger(clock: clock)
        let transport = HTTPClientTransport()
        let standIn = PayPalStandIn(account: account, faults: faults, clock: clock, stall: stall, transport: transport)
        try await LoopbackServer.run(port: port, wire: transport) { actual in
            await account.listens(on: actual)
            await onReady(actual)
        } respond: { request in
            await respond(to: request, standIn)
        }
    }

    private func respond(to request: Request, _ standIn: PayPalStandIn) async -> Response {
        var request = request
        guard let collected = await request.collectBody(ifWithin: SandboxPayPalServer.maximumBody) else {
            return response(.badRequest([.init("MALFORMED_REQUEST_JSON")]))
        }
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headers[$0] } }
        let call = PayPalStandIn.Request(
            method: request.method.rawValue,
            path: request.uri.path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) },
            query: request.uri.query ?? "", body: Array(collected.readableBytesView),
            contentType: field("Content-Type"), authorization: field("Authorization"),
            key: field("PayPal-Request-Id"), prefer: field("Prefer"))
        return response(await standIn.answer(call))
    }

    private func response(_ answer: PayPalAnswer) -> Response {
        var headers = HTTPFields()
        if let name = HTTPField.Name("PayPal-Debug-Id") {
            headers[name] =
                answer.body?["debug_id"]?.stringValue ?? StableHash.hex("\(UInt64.random(in: .min ... .max))")
        }
        if let location = answer.location { headers[.location] = location }
        guard let body = answer.bytes else {
            return Response(status: HTTPResponse.Status(code: answer.status), headers: headers)
        }
        headers[.contentType] = answer.contentType
        return Response(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
