import HTTPTypes
public import TillCore

extension CounterClient {
    /// Creates a payment. Moves no money. The same key returns the payment as it was created; read its current state
    /// with ``payment(_:)``.
    /// - Throws: ``CounterError``; ``CounterError/outcomeUnknown(_:)`` has the key under which it may be repeated.
    public func createPayment(
        _ draft: CounterPaymentDraft, key: IdempotencyKey
    ) async throws(CounterError) -> CounterPayment {
        let call = CounterCall(
            operation: .createPayment, method: .post, path: "/v1/payments", body: draft.json, key: key,
            deadline: limits.exchange, tries: limits.maximumTries)
        return try payment(in: try await send(call), of: call, amount: draft.amount, order: draft.order)
    }

    /// Reads a payment.
    public func payment(_ id: PaymentID) async throws(CounterError) -> CounterPayment {
        try await payment(id, tries: limits.maximumTries, within: limits.exchange)
    }

    func payment(_ id: PaymentID, tries: Int, within deadline: Span) async throws(CounterError) -> CounterPayment {
        let call = CounterCall(
            operation: .readPayment, path: "/v1/payments/\(CounterPath.segment(id.rawValue))", payment: id,
            deadline: min(limits.exchange, deadline), tries: tries)
        return try payment(in: try await send(call), of: call, amount: nil)
    }

    /// Loads the receipt of a payment: a page of HTML in UTF-8, without scripts. An unpaid payment has one, too, which
    /// states that first.
    public func receipt(
        of id: PaymentID, copy: CounterReceiptCopy = .customer
    ) async throws(CounterError) -> [UInt8] {
        let path = "/v1/payments/\(CounterPath.segment(id.rawValue))/receipt?format=html&copy=\(copy.rawValue)"
        let call = CounterCall(
            operation: .receipt, path: path, payment: id, deadline: limits.exchange, tries: limits.maximumTries)
        return try await send(call).page
    }

    /// Confirms a payment with a tender, and waits for the outcome, at a reader including the card. Declines are no
    /// errors: the payment's status reports them.
    /// - Parameter tries: the most times that it is sent, always under the same key.
    public func confirm(
        _ payment: CounterPayment, _ tender: CounterTender, key: IdempotencyKey, tries: Int? = nil
    ) async throws(CounterError) -> CounterPayment {
        try await confirm(payment, tender, key: key, tries: tries, within: limits.confirmation)
    }

    func confirm(
        _ payment: CounterPayment, _ tender: CounterTender, key: IdempotencyKey, tries: Int?, within deadline: Span
    ) async throws(CounterError) -> CounterPayment {
        try await change(
            payment, .confirm, "confirm", [JSONMember(key: "tender", value: tender.json)], key: key,
            deadline: min(limits.confirmation, deadline), tries: tries)
    }

    /// Captures held money: `amount`, or all of it.
    public func capture(
        _ payment: CounterPayment, amount: Money? = nil, key: IdempotencyKey
    ) async throws(CounterError) -> CounterPayment {
        try await change(payment, .capture, "capture", CounterClient.member(amount), key: key)
    }

    /// Cancels a payment: an unpaid one is over, held money is released.
    /// - Parameter onlyIfUnpaid: `true` to have the counter refuse if money is held or taken, or may be.
    public func cancel(
        _ payment: CounterPayment, onlyIfUnpaid: Bool = false, key: IdempotencyKey
    ) async throws(CounterError) -> CounterPayment {
        let members = onlyIfUnpaid ? [JSONMember(key: "only_if_unpaid", value: .bool(true))] : []
        return try await change(payment, .cancel, "cancel", members, key: key)
    }

    /// Refunds `amount`, or all that is left.
    public func refund(
        _ payment: CounterPayment, amount: Money? = nil, reason: String? = nil, key: IdempotencyKey
    ) async throws(CounterError) -> CounterPayment {
        var members = CounterClient.member(amount)
        if let reason { members.append(JSONMember(key: "reason", value: .string(reason))) }
        return try await change(payment, .refund, "refunds", members, key: key)
    }

    static func member(_ amount: Money?) -> [JSONMember] {
        amount.map { [JSONMember(key: "amount", value: .number("\($0.minorUnits)"))] } ?? []
    }

    private func change(
        _ asked: CounterPayment, _ operation: CounterOperation, _ verb: String, _ members: [JSONMember],
        key: IdempotencyKey, deadline: Span? = nil, tries: Int? = nil
    ) async throws(CounterError) -> CounterPayment {
        let call = CounterCall(
            operation: operation, method: .post, path: "/v1/payments/\(CounterPath.segment(asked.id.rawValue))/\(verb)",
            body: .object(members), key: key, payment: asked.id, deadline: deadline ?? limits.exchange,
            tries: tries ?? limits.maximumTries)
        return try payment(in: try await send(call), of: call, amount: asked.amount)
    }

    /// Reads a payment and compares it with what was asked, before it counts.
    func payment(
        in answer: CounterAnswer, of call: CounterCall, amount: Money?, order: OrderID? = nil
    ) throws(CounterError) -> CounterPayment {
        let payment: CounterPayment
        do throws(UnreadableAnswer) { payment = try CounterPayment(answer.json) } catch {
            throw call.unknown("its answer has no \(error.field) that can be read", answer.requestID)
        }
        func differs(_ part: CounterMismatch.Part, _ asked: String, _ answered: String) -> CounterError {
            .mismatch(
                CounterMismatch(
                    operation: call.operation, part: part, asked: asked, answered: answered,
                    requestID: answer.requestID))
        }
        if let id = call.payment, payment.id != id { throw differs(.payment, id.rawValue, payment.id.rawValue) }
        if let order, !payment.isOf(order) { throw differs(.order, order.rawValue, payment.order.rawValue) }
        guard let amount else { return payment }
        guard payment.amount.currency == amount.currency else {
            throw differs(.currency, amount.currency.code, payment.amount.currency.code)
        }
        guard payment.amount == amount else { throw differs(.amount, "\(amount)", "\(payment.amount)") }
        return payment
    }
}

/// The reader of a receipt.
public enum CounterReceiptCopy: String, Hashable, Sendable, CaseIterable {
    case customer
    /// With what the shop has to keep.
    case merchant
}

enum CounterPath {
    /// Returns a text as one segment of a path.
    static func segment(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
            if isPlain {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
