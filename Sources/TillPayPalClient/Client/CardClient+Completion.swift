public import TillCards
internal import TillCore

/// Twins with a completion handler. Each returns the task, which can be canceled; the handler is called exactly once,
/// on no particular thread.
extension CardClient {
    /// Does what ``approveOrder(_:card:challenge:verification:)`` does and reports to a completion handler.
    @discardableResult
    public func approveOrder(
        _ order: PayPalOrderID, card: PaymentCard, challenge: ChallengeReturn,
        verification: CardVerification = .whenRequired,
        completion: @escaping @Sendable (Result<CardApprovalStep, CardClientError>) -> Void
    ) -> Task<Void, Never> {
        CardClient.deliver(completion) { () async throws(CardClientError) in
            try await approveOrder(order, card: card, challenge: challenge, verification: verification)
        }
    }

    /// Does what ``validate(orderID:card:)`` does and reports to a completion handler.
    @discardableResult
    public func validate(
        orderID: PayPalOrderID, card: PaymentCard,
        completion: @escaping @Sendable (Result<CardApproval, CardClientError>) -> Void
    ) -> Task<Void, Never> {
        CardClient.deliver(completion) { () async throws(CardClientError) in
            try await validate(orderID: orderID, card: card)
        }
    }

    /// Runs an operation in a task of its own and hands its end to the handler.
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
