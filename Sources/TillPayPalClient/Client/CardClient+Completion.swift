public import TillCards
internal import TillCore

/// Variants with a completion handler. Each returns the task, which can be canceled; the handler is called exactly
/// once, on an arbitrary thread.
extension CardClient {
    /// Performs ``approveOrder(_:card:challenge:verification:)`` and calls a completion handler.
    @discardableResult
    public func approveOrder(
        _ order: PayPalOrderID, card: PaymentCard, challenge: ChallengeReturn,
        verification: ChallengeCondition = .whenRequired,
        completion: @escaping @Sendable (Result<CardApprovalStep, CardClientError>) -> Void
    ) -> Task<Void, Never> {
        CardClient.deliver(completion) { () async throws(CardClientError) in
            try await approveOrder(order, card: card, challenge: challenge, verification: verification)
        }
    }

    /// Performs ``validate(orderID:card:)`` and calls a completion handler.
    @discardableResult
    public func validate(
        orderID: PayPalOrderID, card: PaymentCard,
        completion: @escaping @Sendable (Result<CardApproval, CardClientError>) -> Void
    ) -> Task<Void, Never> {
        CardClient.deliver(completion) { () async throws(CardClientError) in
            try await validate(orderID: orderID, card: card)
        }
    }

    /// Runs an operation in its own task and passes the result to the handler.
    package static func deliver<Success: Sendable>(
        _ completion: @escaping @Sendable (Result<Success, CardClientError>) -> Void,
        _ operation: @escaping @Sendable () async throws(CardClientError) -> Success
    ) -> Task<Void, Never> {
        Task {
            let result: Result<Success, CardClientError>
            do throws(CardClientError) { result = .success(try await operation()) } catch { result = .failure(error) }
            completion(result)
        }
    }
}
