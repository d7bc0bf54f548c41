import Foundation
import HTTPTypes
import Hummingbird
import Synchronization
public import TillCore
import TillHTTP
public import TillSandbox
import TillStandInServing

/// A stand-in for PayPal: Orders v2, Payments v2, Vault v3 and the token service over loopback, with PayPal's rules and
/// a clock that can be moved. For this machine only; it moves no real money.
///
/// Beyond PayPal's paths it serves `GET /_sandbox/ledger`, the true state in minor units; `POST /_sandbox/faults` with
/// `{"operation":"capture","fault":"timeoutAfterCommit","times":1}`; `POST /_sandbox/webhooks` with
/// `{"url":"http://127.0.0.1:8080/webhooks/paypal"}`, which sends webhooks (without `url` they are kept for polling at
/// the same path; `copies` sets the number of deliveries, `before_answer` sends them before the response); `POST
/// /_sandbox/clock` with `{"advance_seconds":345600}`; and `POST /_sandbox/action` with
/// `{"reference":"…","succeeds":true}`, which completes the bank's challenge for the customer, as does the page behind
/// the order's link. `POST /_sandbox/aftersale` with `{"reference":"…","do":"dispute"}` applies changes after the sale;
/// `POST /_sandbox/lists` with `{"late_seconds":10800}` hides newer entries from the transaction search; `POST
/// /_sandbox/rights` with `{"disputes":false}` revokes the app's permission to read disputes. A cardholder name selects
/// a decline: `CCREJECT-IF` and the others of PayPal's own sandbox.
public struct SandboxPayPalServer: Sendable {
    /// The maximum body size, in bytes.
    static let maximumBody = 1 << 20
    /// The lifetime of a token.
    static let tokenLife: Span = .hours(9)

    public let faults: SandboxFaults
    private let clock: any TillClock
    private let stall: Span

    /// Creates a server with an empty ledger that does not listen yet.
    /// - Parameter stall: the time that a request which "times out" is held before its 504.
    public init(
        clock: any TillClock = SystemClock(), faults: SandboxFaults = SandboxFaults(), stall: Span = .seconds(100)
    ) {
        self.clock = clock
        self.faults = faults
        self.stall = stall
    }

    /// Serves on 127.0.0.1 until the task is canceled or the process receives a termination signal.
    /// - Parameters:
    ///   - port: the port; zero selects a free one.
    ///   - onReady: called with the port once requests are accepted.
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
