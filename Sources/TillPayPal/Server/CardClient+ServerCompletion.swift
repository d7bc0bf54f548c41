public import TillCards
public import TillPayPalClient
public import TillCore

/// Variants with a completion handler.
extension CardClient where Config == ServerConfig {
    /// Creates an order and executes it with a card.
    @discardableResult
    public func executeOrder(
        _ request: OrderRequest, card: PaymentCard, key: IdempotencyKey,
        completion: @escaping @Sendable (Result<ExecutedOrder, CardClientError>) -> Void
    ) -> Task<Void, Never> {
        CardClient.deliver(completion) { () async throws(CardClientError) in
            try await executeOrder(request, card: card, key: key)
        }
    }

    /// Executes an existing order with a card.
    @discardableResult
    public func executeOrder(
        orderID: PayPalOrderID, card: PaymentCard, intent: OrderIntent = .capture, key: IdempotencyKey,
        completion: @escaping @Sendable (Result<ExecutedOrder, CardClientError>) -> Void
    ) -> Task<Void, Never> {
        CardClient.deliver(completion) { () async throws(CardClientError) in
            try await executeOrder(orderID: orderID, card: card, intent: intent, key: key)
        }
    }
}
