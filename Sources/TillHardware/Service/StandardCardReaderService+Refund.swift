import TillCore

extension StandardCardReaderService {
    /// Refunds a charge at the reader.
    public func refund(_ parameters: RefundParameters) async throws(CardReaderServiceError) -> CardReaderRefund {
        if case .connected(let link) = phase { try check(parameters, link) }
        let (_, attempt) = try begin(.refund, .refundCreation)
        return try await running(attempt) { () async throws(CardReaderServiceError) -> CardReaderRefund in
            events.forget()
            let isOut = await cardRemoved(attempt)
            try stillWanted(attempt, .refundCreation)
            guard isOut else { throw CardReaderServiceError(.refundCreation, .cardLeftInReader) }
            return try await giveBack(parameters, attempt)
        }
    }

    private func check(
        _ parameters: RefundParameters, _ link: ServicePhase.Link
    ) throws(CardReaderServiceError) {
        guard driver.capabilities.refunds else {
            throw CardReaderServiceError(.refundCreation, .featureNotAvailableWithConnectedReader)
        }
        guard parameters.account == link.account else {
            throw CardReaderServiceError(.refundCreation, .accountMismatch)
        }
        guard parameters.amount.isPositive else { throw CardReaderServiceError(.refundCreation, .invalidAmount) }
        guard !parameters.charge.rawValue.isEmpty else {
            throw CardReaderServiceError(.refundCreation, .invalidRefundParameters)
        }
        if openRefunds.count >= limits.rememberedOrders
            || openRefunds[parameters.charge] ?? parameters.key != parameters.key
        {
            throw CardReaderServiceError(.refundCreation, .processingInProgress, details: .moneyUnknown)
        }
    }

    private func giveBack(
        _ parameters: RefundParameters, _ attempt: CardReaderAttemptID
    ) async throws(CardReaderServiceError) -> CardReaderRefund {
        let driver = driver
        change(attempt) { $0.step = .collecting }
        openRefunds[parameters.charge] = parameters.key
        let outcome = await call(
            limits.refund, for: attempt, blocks: true,
            late: { service, result in await service.refundedLate(parameters, attempt, result) }
        ) { () async throws(CardReaderFailure) -> CardReaderRefund in
            try await driver.refund(parameters)
        }
        switch outcome {
        case .value(let refund): return try take(refund, parameters, CardReaderFailure(.refundFailed), attempt)
        case .failed(let failure):
            if let refund = failure.refund { return try take(refund, parameters, failure, attempt) }
            guard !failure.underlyingError.leavesOutcomeOpen else { throw unknown(failure, attempt) }
            openRefunds[parameters.charge] = nil
            if failure.underlyingError == .commandCanceled { tell(.canceled, attempt) }
            let canceler = phase.operation?.canceledBy ?? .reader
            throw CardReaderServiceError(.refundPayment, failure.withCanceler(canceler))
        case .timedOut, .givenUp:
            throw unknown(CardReaderFailure(.requestTimedOut), attempt)
        }
    }

    /// Evaluates a refund as reported by the provider. Only `failed` and `canceled` are failures; only `succeeded` is
    /// final success.
    private func take(
        _ refund: CardReaderRefund, _ parameters: RefundParameters, _ failure: CardReaderFailure,
        _ attempt: CardReaderAttemptID
    ) throws(CardReaderServiceError) -> CardReaderRefund {
        guard refund.charge == parameters.charge, refund.amount == parameters.amount else {
            throw unknown(
                CardReaderFailure(
                    .resultMismatch,
                    message: "\(refund.amount) of \(refund.charge) was refunded; \(parameters.amount) of "
                        + "\(parameters.charge) was asked for."), attempt)
        }
        guard refund.status == .failed || refund.status == .canceled else {
            if refund.status == .succeeded { openRefunds[parameters.charge] = nil }
            tell(refund.status == .succeeded ? .approved : .outcomeUnknown, attempt)
            return refund
        }
        openRefunds[parameters.charge] = nil
        var failure = failure
        failure.details.moneyMoved = .no
        failure.details.message = failure.details.message ?? refund.failureReason
        tell(.declined, attempt)
        throw CardReaderServiceError(.refundPayment, failure)
    }

    private func unknown(_ failure: CardReaderFailure, _ attempt: CardReaderAttemptID) -> CardReaderServiceError {
        var details = failure.details
        details.moneyMoved = .unknown
        tell(.outcomeUnknown, attempt)
        return CardReaderServiceError(.refundPayment, failure.underlyingError, details: details)
    }

    private func refundedLate(
        _ parameters: RefundParameters, _ attempt: CardReaderAttemptID,
        _ result: Result<CardReaderRefund, CardReaderFailure>
    ) async {
        let refund: CardReaderRefund?
        switch result {
        case .success(let answer): refund = answer
        case .failure(let failure): refund = failure.refund
        }
        if let refund {
            let isSettled = [.succeeded, .failed, .canceled].contains(refund.status)
            if isSettled, openRefunds[parameters.charge] == parameters.key { openRefunds[parameters.charge] = nil }
            await reconcile(.refund(refund, key: parameters.key, attempt: attempt))
        } else if case .failure(let failure) = result {
            await reconcile(.failure(CardReaderServiceError(.refundPayment, failure), attempt: attempt))
        }
    }

    /// Cancels a refund while it waits for the card.
    public func cancelRefund() async throws(CardReaderServiceError) {
        guard let operation = phase.operation, operation.kind == .refund else { return }
        await callOff(operation.attempt, by: .app)
    }
}
