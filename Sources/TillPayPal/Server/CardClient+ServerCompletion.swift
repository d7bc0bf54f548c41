public import TillCards
public import TillPayPalClient
public import TillCore

/// Twins with a completion handler, as the seed of this client shows them.
extension CardClient where Config == ServerConfig {
    /// Makes an order and executes it with a card.
    @discardableResult
    public func executeOrder(
        _ request: OrderRequest, card: PaymentCard, key: IdempotencyKey,
        completion: @escaping @Sendable (Result<ExecutedOrder, CardClientError>) -> Void
    ) -> Task<Void, Never> {
        CardClient.deliver(completion) { () async throws(CardClientError) in
            try await executeOrder(request, card: card, key: key)
        }
    }

    /// Executes an order that exists with a card.
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
