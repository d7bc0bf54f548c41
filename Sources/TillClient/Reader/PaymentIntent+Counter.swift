import TillCore
import TillHardware

extension PaymentIntent {
    /// Creates an intent from the counter's payment.
    /// - Parameter order: the order that the app asked for, if known. The counter's own identifier may have a scope.
    /// - Throws: `resultMismatch` for a payment of another order.
    init(_ payment: CounterPayment, order: OrderID?) throws(CardReaderFailure) {
        if let order, !payment.isOf(order) {
            throw CardReaderFailure(
                .resultMismatch, message: "The payment \(payment.id) is of order \(payment.order), not \(order).")
        }
        let method = payment.card.map { card in
            PaymentMethod.cardPresent(
                details: CardPresentTransactionDetails(
                    brand: CardBrand(rawValue: card.brand), lastFour: card.lastFour,
                    readMethod: card.entryMode.map { CardReadMethod(rawValue: $0) },
                    network: card.network.map { CardBrand(rawValue: $0) }))
        }
        guard let total = payment.total else { throw CardReaderFailure(.processorResponseUnreadable) }
        let last = payment.attempts.last?.id
        try self.init(
            id: ProviderReference(rawValue: payment.id.rawValue), account: payment.account, order: order,
            status: PaymentIntentStatus(payment), amount: total, tip: payment.tip.isZero ? nil : payment.tip,
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
    /// Creates the status of a payment. Only the whole amount is held or captured; anything else is a word of its own,
    /// which is neither paid nor failed.
    init(_ payment: CounterPayment) {
        switch payment.standing {
        case .unpaid: self = .requiresPaymentMethod
        case .requiresAction: self = .requiresAction
        case .open:
            switch payment.status {
            case .known: self = .processing
            case .other(let word): self = PaymentIntentStatus(rawValue: word)
            }
        case .held: self = .requiresCapture
        case .paid: self = .succeeded
        case .other(let word): self = PaymentIntentStatus(rawValue: word)
        case .captureFailed: self = PaymentIntentStatus(rawValue: PaymentStatus.captureFailed.rawValue)
        case .canceled: self = .canceled
        }
    }
}

extension ChargeStatus {
    fileprivate init(_ attempt: CounterAttempt) {
        if attempt.isOver {
            self = .failed
        } else {
            self = attempt.state == .authorized && !attempt.isBeingVoided ? .succeeded : .pending
        }
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
    /// Creates the failure for an error at the creation of a payment. The creation itself moves no money; the order may
    /// be paid where the counter refuses because of something else that there is for it.
    init(creating error: CounterError) {
        self.init(error)
        switch error {
        case .refused(let problem):
            if problem.code.isAboutOrder { details.moneyMoved = .unknown }
        case .outcomeUnknown(let unknown):
            if unknown.problem?.code.isAboutOrder == true { details.moneyMoved = .unknown }
        case .mismatch: details.moneyMoved = .unknown
        case .notSent, .notAnswered: break
        }
    }

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
        case .outcomeUnknown(let unknown):
            reason = .requestTimedOut
            details.providerCode = unknown.problem.map { CardReaderProviderCode.api($0.code.rawValue) }
            details.message = unknown.problem?.what
            details.httpStatus = unknown.problem?.status
        case .notAnswered: reason = .requestTimedOut
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
        case .orderHasPayment, .orderHeld, .idempotencyMismatch: self = .orderHasOpenIntent
        case .orderAlreadyPaid, .orderSettledInShop: self = .orderAlreadyPaid
        case .amountTooSmall: self = .amountTooSmall
        case .amountTooLarge: self = .amountTooLarge
        case .invalidAmount: self = .invalidAmount
        case .requestInProgress: self = .processingInProgress
        default: self = .processorAPIError
        }
    }
}
