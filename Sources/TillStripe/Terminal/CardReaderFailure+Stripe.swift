internal import TillCore
public import TillHardware

extension CardReaderFailure {
    /// Maps a Stripe error to a reader service failure, with all details that Stripe reported.
    init(_ error: StripeTerminalError, intent: PaymentIntent? = nil) {
        var details = CardReaderErrorDetails()
        details.message = error.providerMessage
        details.requestID = error.requestID
        details.httpStatus = error.status
        if let code = error.providerCode {
            self.init(stripeAPI: code, details: details, intent: intent)
            return
        }
        switch error.certainty {
        case .notSent: self.init(.notConnectedToInternet, details: details, intent: intent)
        case .kept, .unknown: self.init(.requestTimedOut, details: details, intent: intent)
        case .refused, .notNow, .keyRejected: self.init(.processorAPIError, details: details, intent: intent)
        }
    }

    /// Maps the reason that nothing was charged or refunded.
    init(_ cause: ReaderConversation.Cause, intent: PaymentIntent? = nil) {
        switch cause {
        case .occupied: self.init(stripeAPI: "terminal_reader_busy", intent: intent)
        case .refused(let error): self.init(error, intent: intent)
        case .reported(let action): self.init(action, intent: intent)
        case .issuer(let decline):
            self.init(.paymentDeclinedByPaymentProcessor, intent: intent)
            details.decline = decline
            details.message = decline.message
            details.providerCode = decline.code.map { .api($0) }
        case .dropped: self.init(.commandCanceled, intent: intent)
        case .nobody: self.init(.cardReadTimedOut, intent: intent)
        case .intentCanceled: self.init(.confirmInvalidPaymentIntent, intent: intent)
        }
        details.intent = intent?.id
    }

    /// A command that may have been carried out.
    init(open reason: String) {
        self.init(.requestTimedOut)
        details.message = reason
    }

    /// Maps the end of a reader's action to a failure.
    private init(_ action: TerminalAction, intent: PaymentIntent?) {
        var details = CardReaderErrorDetails()
        details.message = action.failureMessage
        details.intent = intent?.id
        if action.failureCode == "customer_canceled" {
            details.canceledBy = .reader
            self.init(.commandCanceled, details: details, intent: intent)
        } else if action.declineCode != nil || action.errorCode == "card_declined" {
            details.decline = action.decline
            self.init(.paymentDeclinedByPaymentProcessor, details: details, intent: intent)
        } else {
            self.init(stripeAPI: action.failureCode ?? "unknown", details: details, intent: intent)
        }
        if let raw = action.declineCode ?? action.errorCode ?? action.failureCode {
            self.details.providerCode = .api(raw)
        }
    }
}

extension CardReaderFailure {
    /// Maps an error number of Stripe's Terminal SDK; an unknown one keeps its number.
    public init(stripeSDK number: Int, details: CardReaderErrorDetails = .none, intent: PaymentIntent? = nil) {
        self.init(StripeTerminalCode.underlyingError(sdk: number), details: details, intent: intent)
        self.details.providerCode = .sdk(number)
    }

    /// Maps an error code of Stripe's API; an unknown one keeps its code.
    public init(stripeAPI code: String, details: CardReaderErrorDetails = .none, intent: PaymentIntent? = nil) {
        self.init(StripeTerminalCode.underlyingError(api: code), details: details, intent: intent)
        self.details.providerCode = .api(code)
    }
}
