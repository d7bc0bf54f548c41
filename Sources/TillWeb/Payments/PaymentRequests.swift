package import HTTPTypes
package import Hummingbird
package import TillCheckout
package import TillCore
import TillCounter
package import TillJournal

/// The engine as requests about payments use it: under a key, with metrics, within the counter's options.
package struct PaymentRequests: Sendable {
    /// The maximum length of a person's name, in bytes of UTF-8.
    package static let maximumNameBytes = 128

    package let checkout: Checkout
    package let keyed: IdempotentRequests
    package let metrics: ServerMetrics
    package let options: ServerOptions
    package let clock: any TillClock

    package init(
        checkout: Checkout, keyed: IdempotentRequests, metrics: ServerMetrics, options: ServerOptions,
        clock: any TillClock
    ) {
        self.checkout = checkout
        self.keyed = keyed
        self.metrics = metrics
        self.options = options
        self.clock = clock
    }

    /// Changes a payment under the request's key, and answers with the payment after it.
    package func change(
        _ id: PaymentID, _ incoming: Incoming, _ operation: KeyedOperation, status: HTTPResponse.Status = .ok,
        fields: [String],
        _ work: @escaping @Sendable (JSONValue, Payment, IdempotencyRecord?, KeyedAnswer) async throws -> Payment
    ) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        try body.allow(fields)
        let payment = try await checkout.payment(id, account: incoming.account)
        let scope = IdempotencyScope(
            account: incoming.account, operation: "POST /v1/payments/\(id)/\(operation.rawValue)", key: key)
        let request = keyed.record(scope, body, .inFlight(payment: id, operation: operation.rawValue))
        // Without a capture none is recorded.
        let queriesFirst = operation != .capture || !payment.captures.isEmpty
        return try await keyed.answer(request, status: status, queriesFirst: queriesFirst) { record in
            let answer = keyed.keyedAnswer(to: request, status: status.code)
            let after = try await withPaymentSpan(operation.rawValue, id) {
                try await work(body, payment, record, answer)
            }
            metrics.outcome(after.status)
            return await keyed.finish(request, status: status.code, payment: after, keyedAnswer: answer)
        }
    }

    /// Returns the requested capture mode.
    package func captureMode(in body: JSONValue, _ incoming: Incoming) throws -> CaptureMode {
        guard let word = try body.text("capture", atMost: 20) else { return .automatic }
        guard let mode = CaptureMode(rawValue: word) else {
            throw Problem.field("capture", "It must be automatic or manual.")
        }
        if mode == .manual { try incoming.person?.require(.hold) }
        return mode
    }

    /// Returns who takes responsibility for charging an order that the shop reports as settled; `nil` if the request
    /// does not ask for that.
    /// - Parameter actor: The key or page of the request; a given name precedes it.
    package func acceptance(of body: JSONValue, _ actor: Actor) throws -> String? {
        let name = try body.text("accepted_by", atMost: PaymentRequests.maximumNameBytes)
        let word = body["accept_paid_order"]
        guard let accepts = word?.boolValue ?? (word == nil ? false : nil) else {
            throw Problem.field("accept_paid_order", "It must be true or false.")
        }
        guard let name else { return accepts ? actor.description : nil }
        guard accepts else { throw Problem.field("accepted_by", "It goes with accept_paid_order.") }
        guard name.contains(where: { !$0.isWhitespace }) else { throw Problem.field("accepted_by", "It is empty.") }
        return "\(CardNumberMask.maskedForPeople(name)), \(actor)"
    }
}
