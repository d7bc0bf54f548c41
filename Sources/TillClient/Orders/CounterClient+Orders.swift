import HTTPTypes
public import TillCore

extension CounterClient {
    /// The most orders of a page that are read.
    static let maximumOrders = 100

    /// Lists orders of the order book, newest first, a page at a time.
    /// - Parameters:
    ///   - state: The orders' state; `nil` for all of them.
    ///   - isPaid: Only orders that are paid as a whole, or only others; `nil` for both.
    ///   - before: ``CounterOrderList/next`` of the page before; `nil` for the first page.
    ///   - limit: The most orders of the page, 1 to 100. Large orders may not fit into
    ///     ``CounterClientLimits/answerBytes``; then ask for fewer.
    public func orders(
        in state: CounterOrderState? = .open, isPaid: Bool? = nil, before: OrderID? = nil, limit: Int = 20
    ) async throws(CounterError) -> CounterOrderList {
        var query = "limit=\(limit)"
        if let state { query += "&state=" + CounterPath.segment(state.rawValue) }
        if let isPaid { query += "&paid=\(isPaid)" }
        if let before { query += "&before=" + CounterPath.segment(before.rawValue) }
        let call = CounterCall(
            operation: .listOrders, path: "/v1/orders?" + query, deadline: limits.exchange, tries: limits.maximumTries)
        let answer = try await send(call)
        guard let all = answer.json["orders"]?.arrayValue, all.count <= CounterClient.maximumOrders else {
            throw call.unknown("its answer has no list of orders that can be read", answer.requestID)
        }
        var next: OrderID?
        if let word = answer.json["next"], word != .null {
            guard let text = word.stringValue, let id = OrderID(ifValid: text) else {
                throw call.unknown("its answer has no next page that can be read", answer.requestID)
            }
            next = id
        }
        let orders = all.compactMap { try? CounterOrder($0) }
        let damaged = answer.json["unreadable"]?.arrayValue?.count ?? 0
        return CounterOrderList(orders: orders, unreadable: all.count - orders.count + damaged, next: next)
    }

    /// Reads an order of the order book.
    /// - Throws: ``CounterError``, refused with ``CounterProblemCode/orderNotFound`` for one that is not booked.
    public func order(_ id: OrderID) async throws(CounterError) -> CounterOrder {
        let call = CounterCall(
            operation: .readOrder, path: "/v1/orders/\(CounterPath.segment(id.rawValue))", deadline: limits.exchange,
            tries: limits.maximumTries)
        let answer = try await send(call)
        let order: CounterOrder
        do throws(UnreadableAnswer) { order = try CounterOrder(answer.json) } catch {
            throw call.unknown("its answer has no \(error.field) that can be read", answer.requestID)
        }
        guard order.id.isSame(as: id) else {
            throw call.mismatch(.order, id.rawValue, order.id.rawValue, answer.requestID)
        }
        return order
    }

    /// Creates a payment of a booked order: of all that is open, or of a part. Moves no money; it is confirmed as any
    /// other. The same key returns the payment as it was created.
    ///
    /// All payments of an order together never ask for more than its total, whoever creates them: more is refused with
    /// ``CounterProblemCode/orderAmountDiffers``.
    /// - Parameters:
    ///   - order: The order, as the counter reported it. Its state of the money may be older than the payment.
    ///   - amount: The part, in the order's currency; `nil` for all that is open when the counter creates the payment.
    /// - Throws: ``CounterError``; ``CounterError/outcomeUnknown(_:)`` has the key under which it may be repeated. A
    ///   part in another currency is a ``CounterError/mismatch(_:)``, before anything is sent.
    public func createPayment(
        of order: CounterOrder, amount: Money? = nil, captureMode: CaptureMode = .automatic, key: IdempotencyKey
    ) async throws(CounterError) -> CounterPayment {
        let members = CounterClient.member(amount) + [JSONMember(key: "capture", value: .string(captureMode.rawValue))]
        let call = CounterCall(
            operation: .createPayment, method: .post,
            path: "/v1/orders/\(CounterPath.segment(order.id.rawValue))/payments", body: .object(members), key: key,
            deadline: limits.exchange, tries: limits.maximumTries)
        let currency = order.amount.currency
        // The request has the number alone, which the counter takes in the order's currency.
        if let amount, amount.currency != currency {
            throw call.mismatch(.currency, amount.currency.code, currency.code)
        }
        let answer = try await send(call)
        let made = try payment(in: answer, of: call, amount: amount)
        // A part has the order's identifier and its number.
        guard made.order.whole == order.id else {
            throw call.mismatch(.order, order.id.rawValue, made.order.rawValue, answer.requestID)
        }
        guard made.amount.currency == currency else {
            throw call.mismatch(.currency, currency.code, made.amount.currency.code, answer.requestID)
        }
        return made
    }
}
