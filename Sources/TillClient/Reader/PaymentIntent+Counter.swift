import TillCore
import TillHardware

extension PaymentIntent {
    /// Creates an intent from the counter's payment.
    /// - Parameter order: the order that the app asked for, if known. The counter's own identifier may have a scope.
    init(_ payment: CounterPayment, order: OrderID?) throws(CardReaderFailure) {
        let method = payment.card.map { card in
            PaymentMethod.cardPresent(
                details: CardPresentTransactionDetails(
                    brand: CardBrand(rawValue: card.brand), lastFour: card.lastFour,
                    readMethod: card.entryMode.map { CardReadMethod(rawValue: $0) },
                    network: card.network.map { CardBrand(rawValue: $0) }))
        }
        let total = payment.amount.adding(ifExact: payment.tip)
        guard let total else { throw CardReaderFailure(.processorResponseUnreadable) }
        let last = payment.attempts.last?.id
        try self.init(
            id: ProviderReference(rawValue: payment.id.rawValue), account: payment.account, order: order,
            status: PaymentIntentStatus(payment.status), amount: total, tip: payment.tip.isZero ? nil : payment.tip,
            charges: payment.attempts.map { attempt in
                Charge(
                    id: attempt.reference ?? ProviderReference(rawValue: attempt.id.rawValue), amount: attempt.amount,
                    status: ChargeStatus(attempt), paymentMethod: attempt.id == last ? method : nil,
                    isCaptured: attempt.id == last && payment.captured.isPositive)
            },
            lastDecline: payment.attempts.last?.decline)
    }

    /// The number of charges that ended without money when this intent was read.
    var endedCharges: Int { charges.count { $0.status == .failed } }
}

extension PaymentIntentStatus {
    init(_ status: CounterPaymentStatus) {
        switch status {
        case .known(let known):
            switch known {
            case .requiresPaymentMethod, .declined: self = .requiresPaymentMethod
            case .requiresAction: self = .requiresAction
            case .stored, .processing, .unknown: self = .processing
            case .requiresCapture, .partiallyCaptured: self = .requiresCapture
            case .succeeded, .partiallyRefunded, .refunded: self = .succeeded
            case .canceled, .expired: self = .canceled
            case .captureFailed: self = PaymentIntentStatus(rawValue: known.rawValue)
            }
        case .other(let word): self = PaymentIntentStatus(rawValue: word)
        }
    }
}

extension ChargeStatus {
    fileprivate init(_ attempt: CounterAttempt) {
        if attempt.isOver { self = .failed } else { self = attempt.state == .authorized ? .succeeded : .pending }
    }
}

extension CardReader {
    /// Creates a reader from the counter's list.
    init(_ reader: CounterReader) {
        self.init(
            serial: reader.id, vendorIdentifier: reader.id, name: reader.label,
            readerType: CardReaderType(rawValue: reader.deviceType), locationID: reader.location,
            networkStatus: reader.status.map { CardReaderNetworkStatus(rawValue: $0) })
    }
}

extension CardReaderFailure {
    /// Creates the failure for an error of the counter, with everything that it reported.
    init(_ error: CounterError, intent: PaymentIntent? = nil) {
        var details = CardReaderErrorDetails()
        details.sentence = error.what
        details.requestID = error.requestID
        let reason: UnderlyingError
        switch error {
        case .refused(let problem):
            reason = UnderlyingError(problem.code)
            details.providerCode = .api(problem.code.rawValue)
            details.message = problem.what
            details.httpStatus = problem.status
            details.moneyMoved = problem.moneyMoved
        case .notSent: reason = .networkError
        case .notAnswered, .outcomeUnknown: reason = .requestTimedOut
        case .mismatch: reason = .resultMismatch
        }
        self.init(reason, details: details, intent: intent)
    }
}

extension UnderlyingError {
    fileprivate init(_ code: CounterProblemCode) {
        switch code {
        case .readerNotFound, .noReaders: self = .readerNotFound
        case .readerBusy: self = .readerBusy
        case .readerOffline: self = .readerOffline
        case .orderHasPayment, .idempotencyMismatch: self = .orderHasOpenIntent
        case .orderAlreadyPaid: self = .orderAlreadyPaid
        case .amountTooSmall: self = .amountTooSmall
        case .amountTooLarge: self = .amountTooLarge
        case .invalidAmount: self = .invalidAmount
        case .requestInProgress: self = .processingInProgress
        default: self = .processorAPIError
        }
    }
}
