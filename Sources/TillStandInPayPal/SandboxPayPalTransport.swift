public import HTTPTypes
public import TillCore
public import TillSandbox
import TillStandInServing

/// A transport that passes requests to the PayPal stand-in without a network. For tests and examples.
public struct SandboxPayPalTransport: HTTPTransport {
    public let faults: SandboxFaults
    private let account: PayPalLedger
    private let standIn: PayPalStandIn

    /// Creates a transport with an empty ledger.
    /// - Parameter stall: the time that a request which "times out" is held, on the given clock.
    public init(
        clock: any TillClock = SystemClock(), faults: SandboxFaults = SandboxFaults(),
        stall: Span = .milliseconds(0)
    ) {
        self.faults = faults
        account = PayPalLedger(clock: clock)
        standIn = PayPalStandIn(account: account, faults: faults, clock: clock, stall: stall)
    }

    /// Passes a request to the stand-in.
    public func send(
        _ request: HTTPRequest, body: [UInt8], deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { request.headerFields[$0] } }
        let parts = (request.path ?? "/").split(separator: "?", maxSplits: 1)
        let answer = await standIn.answer(
            PayPalStandIn.Request(
                method: request.method.rawValue, path: (parts.first ?? "").split(separator: "/").map(String.init),
                query: parts.count > 1 ? String(parts[1]) : "", body: body, contentType: field("Content-Type"),
                authorization: field("Authorization"), key: field("PayPal-Request-Id"), prefer: field("Prefer")))
        if answer.status == 504 { throw .unknown(reason: "no answer in time") }
        var response = HTTPResponse(status: .init(code: answer.status))
        response.headerFields[.contentType] = answer.contentType
        return HTTPReply(response: response, body: answer.bytes ?? [])
    }

    /// Hides entries newer than this from the transaction search.
    package func setLists(late: Span) { account.lateness.set(late) }

    /// Moves the stand-in's clock forward.
    public func advance(_ span: Span) async { await account.advance(span) }

    /// Completes the bank's challenge for the customer. Returns `false` if the order awaits none.
    package func answerChallenge(_ order: String, succeeds: Bool) async -> Bool {
        await account.approve(order, succeeds: succeeds)
    }

    /// Applies a change after the sale: an action of `POST /_sandbox/aftersale`. Returns `false` if it is not possible.
    public func play(_ word: String, on reference: ProviderReference, amount: Int64? = nil) async -> Bool {
        await account.play(
            .members([
                "reference": .string(reference.rawValue), "do": .string(word),
                "amount": amount.map { .number(String($0)) },
            ]))
    }

    /// The true state in minor units, one entry per order: `reference`, `captured`, `refunded`, `authorized`,
    /// `canceled`.
    public func ledger() async -> [JSONValue] { await account.ledger().arrayValue ?? [] }
}
