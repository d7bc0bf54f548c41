import HTTPTypes
public import TillCore

/// The one payment intent of an order, for a device that collects the card with the provider's own SDK.
///
/// The counter makes the intent and has its payment in the journal before a card is read. The SDK collects the card and
/// charges it; then the counter asks the provider for the outcome, and captures what is held.
///
/// ```swift
/// let counter = try CounterClient(
///     address: CounterAddress("https://counter.example.com"), key: Secret("example-key"))
/// let draft = CounterPaymentDraft(order: OrderID(rawValue: "1001"), amount: Money(minorUnits: 1250, currency: .eur))
/// let intent = try await counter.deviceIntent(draft, device: "iPad 3")
/// try await collect(intent.clientSecret)  // the provider's SDK: retrieve, collect, confirm
/// let payment = try await counter.settle(intent.payment)
/// print(payment.status, payment.captured)
/// ```
///
/// An app that was ended while it sold asks with the same draft again. It finds the same intent, which the SDK may show
/// as charged already; then only ``CounterClient/settle(_:)`` is left to do.
public struct CounterDeviceIntent: Sendable {
    /// The provider's identifier of the intent.
    public let reference: ProviderReference
    /// The secret with which the SDK retrieves the intent. For this device only.
    public let clientSecret: Secret<String>
    /// The payment that the intent pays, as it was when the intent was made.
    public let payment: CounterPayment
}

extension CounterClient {
    /// Returns the order's one intent, and creates the payment if there is none. Charges nothing.
    ///
    /// The order is the key: the same draft gets the same intent, at every device, so the call is repeated without an
    /// idempotency key.
    /// - Parameter device: The device's name in the journal, 1 to 64 printable ASCII characters; `app` without one.
    /// - Throws: ``CounterError``: refused with ``CounterProblemCode/noReaders`` where no provider of the counter has
    ///   an SDK, and with ``CounterProblemCode/orderAlreadyPaid`` for a paid order. An intent of another payment, order
    ///   or amount is a ``CounterError/mismatch(_:)`` and must not be charged.
    public func deviceIntent(
        _ draft: CounterPaymentDraft, device: String? = nil
    ) async throws(CounterError) -> CounterDeviceIntent {
        var members = draft.members
        if let device { members.append(JSONMember(key: "device", value: .string(device))) }
        let call = CounterCall(
            operation: .deviceIntent, method: .post, path: "/v1/terminal/payments", body: .object(members),
            deadline: limits.exchange, tries: limits.maximumTries)
        let answer = try await send(call)
        let part = CounterAnswer(json: answer.json["payment"] ?? .null, requestID: answer.requestID)
        let sold = try payment(in: part, of: call, amount: draft.amount, order: draft.order)
        guard let name = answer.json["payment_intent"]?.stringValue, let reference = ProviderReference(ifValid: name),
            let secret = answer.json["client_secret"]?.stringValue, !secret.isEmpty
        else { throw call.unknown("its answer has no intent that can be read", answer.requestID) }
        // Money of an intent that is no attempt of the payment would belong to no order.
        guard sold.attempts.contains(where: { $0.reference == reference }) else {
            let last = sold.attempts.last?.reference?.rawValue ?? "one of \(sold.id)"
            throw call.mismatch(.intent, last, name, answer.requestID)
        }
        return CounterDeviceIntent(reference: reference, clientSecret: Secret(secret), payment: sold)
    }

    /// Settles a payment that the SDK on a device has collected: the counter queries the provider, and captures held
    /// money of a payment with automatic capture.
    ///
    /// Call it at the end of every collection, a failed one too: the SDK may have lost the provider's answer. It may be
    /// repeated, also by another device. What no app settles, the counter settles by itself, later.
    /// - Returns: the payment as it is now. Its capture may be under way still: read it again with ``payment(_:)``.
    ///   Declines are no errors: the payment's status reports them.
    public func settle(_ asked: CounterPayment) async throws(CounterError) -> CounterPayment {
        let call = CounterCall(
            operation: .settle, method: .post,
            path: "/v1/terminal/payments/\(CounterPath.segment(asked.id.rawValue))/settle", body: .object([]),
            payment: asked.id, deadline: limits.exchange, tries: limits.maximumTries)
        return try payment(in: try await send(call), of: call, amount: asked.amount)
    }
}
