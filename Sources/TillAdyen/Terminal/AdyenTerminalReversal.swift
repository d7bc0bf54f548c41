internal import TillCore
internal import TillHardware

/// The refund of a payment through the terminal that took it.
struct AdyenTerminalReversal: Sendable {
    let terminal: AdyenTerminal
    let clock: any TillClock
    /// About the payment.
    let conversation: AdyenTerminalConversation
    let parameters: RefundParameters

    private enum Found {
        case end(CardReaderRefund)
        case neverCame
        case open(String)
    }

    /// Looks for the refund, and requests it if the terminal does not know it.
    /// - Parameter paid: the amount of the payment.
    func run(of paid: Money) async throws(CardReaderFailure) -> CardReaderRefund {
        switch await find() {
        case .end(let refund): return refund
        case .open(let reason): throw CardReaderFailure(open: reason)
        case .neverCame: break
        }
        let payment: AdyenTerminal.Outcome
        do throws(AdyenTerminalError) { payment = try await conversation.status(paid.currency) } catch {
            throw certain(error.reason)
        }
        guard case .taken(let taken) = AdyenTerminalConversation.standing(payment, paid),
            taken.reference == parameters.charge, let transaction = payment.transaction,
            let time = payment.transactionTime
        else { throw certain("the terminal does not know the payment") }
        guard !Task.isCancelled else { throw certain("the refund was abandoned before it was sent") }
        do throws(AdyenTerminalError) {
            let answer = try await terminal.reverse(
                transaction: transaction, at: time, amount: parameters.amount == paid ? nil : parameters.amount,
                name: name, currency: paid.currency)
            if case .end(let refund) = found(answer) { return refund }
        } catch {
            if case .notSent(let reason) = error { throw certain(reason) }
        }
        return try await follow()
    }

    /// The id of the request at the terminal.
    private var name: String { AdyenTerminalConversation.requestName(parameters.key.rawValue, "refund") }

    private func find() async -> Found {
        do throws(AdyenTerminalError) {
            return found(
                try await terminal.status(
                    of: name, .reversal, as: conversation.fresh("refund-status"), currency: parameters.amount.currency))
        } catch {
            return .open(error.reason)
        }
    }

    /// Queries the terminal until the answer is known, within limits.
    private func follow() async throws(CardReaderFailure) -> CardReaderRefund {
        let began = clock.now()
        while await clock.pause(for: AdyenTerminalDriver.pollInterval) {
            let age = clock.now().since(began)
            switch await find() {
            case .end(let refund): return refund
            case .neverCame:
                if age >= AdyenTerminalDriver.arrivalTime {
                    throw CardReaderFailure(open: "the terminal does not know the refund yet")
                }
            case .open(let reason):
                if age >= AdyenTerminalDriver.followTime { throw CardReaderFailure(open: reason) }
            }
        }
        throw CardReaderFailure(open: "the refund was abandoned")
    }

    private func found(_ answer: AdyenTerminal.Outcome) -> Found {
        // Accepted; Adyen makes the refund later.
        if answer.isApproved { return .end(refund(.pending, nil)) }
        switch AdyenTerminalConversation.standing(answer, nil) {
        case .refused(let decline): return .end(refund(.failed, decline.code))
        case .neverCame: return .neverCame
        case .open(let reason): return .open(reason)
        case .taken: return .end(refund(.pending, nil))
        }
    }

    private func refund(_ status: CardReaderRefundStatus, _ why: String?) -> CardReaderRefund {
        CardReaderRefund(
            id: ProviderReference(rawValue: name), charge: parameters.charge, amount: parameters.amount,
            status: status, failureReason: why)
    }

    /// A refund that was certainly not made.
    private func certain(_ reason: String) -> CardReaderFailure {
        var failure = CardReaderFailure(.refundFailed, refund: refund(.canceled, nil))
        failure.details.message = reason
        return failure
    }
}
