extension PaymentCardReaderSession.ReadError {
    /// The facts of the error: name, release, responsible party and recovery.
    public var facts: ReaderErrorFacts {
        switch self {
        case .readNotAllowed, .readFromBackgroundError, .readerServiceConnectionError, .readerServiceError,
            .noReaderSession, .readerSessionExpired, .readerTokenExpired, .readerSessionNetworkError,
            .readerSessionAuthenticationError, .readerSessionBusy:
            sessionFacts
        case .pinEntryFailed, .pinTokenInvalid, .pinEntryTimeout, .pinCancelled, .pinNotAllowed: pinFacts
        case .invalidAmount, .invalidCurrencyCode, .invalidPreferredAID, .invalidVASMerchants,
            .invalidVASRequestParameters:
            requestFacts
        case .readCancelled, .cardReadFailed, .vasReadFail, .paymentReadFailed, .paymentCardDeclined,
            .cardNotSupported:
            cardFacts
        default: deviceFacts
        }
    }

    private var sessionFacts: ReaderErrorFacts {
        typealias F = ReaderErrorFacts
        switch self {
        case .readFromBackgroundError:
            return F(
                "readFromBackgroundError", .iOS15_4, .merchant, .prepare, "The app went to the background.",
                "Bring it to the front; the reader is then prepared again.")
        case .readerServiceConnectionError:
            return F(
                "readerServiceConnectionError", .iOS15_4, .time, .prepare,
                "The connection to the reader's service broke.", "Prepare the reader again, then start again.")
        case .readerServiceError:
            return F(
                "readerServiceError", .iOS15_4, .time, .prepare, "The reader's service failed.",
                "Prepare the reader again, then start again; if that does not help, restart the device.")
        case .noReaderSession:
            return F(
                "noReaderSession", .iOS15_4, .time, .prepare, "The reader is not prepared.",
                "Wait until it is ready, then start again.")
        case .readerSessionExpired:
            return F(
                "readerSessionExpired", .iOS15_4, .time, .prepare, "The reader session has ended.",
                "Prepare the reader again, then start again.")
        case .readerTokenExpired:
            return F(
                "readerTokenExpired", .iOS15_4, .provider, .renewToken, "The reader token has expired.",
                "Get a new token from the payment provider, then start again.")
        case .readerSessionNetworkError:
            return F(
                "readerSessionNetworkError", .iOS15_4, .network, .again, "The network did not answer the reader.",
                "Check the connection, then start again.")
        case .readerSessionAuthenticationError:
            return F(
                "readerSessionAuthenticationError", .iOS15_4, .network, .prepare,
                "The reader could not prove what it is.", "Prepare the reader again, then start again.")
        case .readerSessionBusy:
            return F(
                "readerSessionBusy", .iOS15_4, .time, .again, "The reader reads another card.",
                "Wait until that is done, then start again.")
        default:
            return F(
                "readNotAllowed", .iOS15_4, .developer, .prepare, "The reader may not read now.",
                "Prepare the reader again; if that does not help, restart the app.")
        }
    }

    private var requestFacts: ReaderErrorFacts {
        typealias F = ReaderErrorFacts
        switch self {
        case .invalidCurrencyCode:
            return F(
                "invalidCurrencyCode", .iOS15_4, .developer, .none, "The currency is not one of ISO 4217.",
                "Use a code of three letters, such as EUR.")
        case .invalidPreferredAID:
            return F(
                "invalidPreferredAID", .iOS16_4, .developer, .none, "A preferred application is not one.",
                "Give 5 to 16 bytes for each, or none.")
        case .invalidVASMerchants(let reason):
            return F(
                "invalidVASMerchants", .iOS16, .developer, .none,
                "The loyalty passes cannot be asked for\(PaymentCardReaderError.suffix(reason)).",
                "Give 1 to \(VASRequest.mostMerchants) pass type identifiers.")
        case .invalidVASRequestParameters(let reason):
            return F(
                "invalidVASRequestParameters", .iOS16, .developer, .none,
                "The request for passes has a wrong part\(PaymentCardReaderError.suffix(reason)).",
                "Correct it and start again.")
        default:
            return F(
                "invalidAmount", .iOS15_4, .developer, .none, "The amount cannot be read for.",
                "Give an amount above zero that the currency can express.")
        }
    }

    private var cardFacts: ReaderErrorFacts {
        typealias F = ReaderErrorFacts
        switch self {
        case .readCancelled:
            return F(
                "readCancelled", .iOS15_4, .merchant, .again, "The read was canceled.", "Begin again when ready.")
        case .vasReadFail:
            return F(
                "vasReadFail", .iOS16, .customer, .again, "The pass could not be read.",
                "Present the phone again, or continue without the pass.")
        case .paymentReadFailed:
            return F(
                "paymentReadFailed", .iOS15_4, .customer, .again, "The card's payment part could not be read.",
                "Present the card again, or take another.")
        case .paymentCardDeclined:
            return F(
                "paymentCardDeclined", .iOS15_4, .customer, .again, "The card refused.", "Ask for another card.")
        case .cardNotSupported:
            return F(
                "cardNotSupported", .iOS26, .customer, .again, "This card cannot be used here.",
                "Ask for another card.")
        default:
            return F(
                "cardReadFailed", .iOS15_4, .customer, .again, "The card could not be read.",
                "Present it again, or take another.")
        }
    }

    private var pinFacts: ReaderErrorFacts {
        typealias F = ReaderErrorFacts
        switch self {
        case .pinTokenInvalid:
            return F(
                "pinTokenInvalid", .iOS16, .provider, .none, "The provider's request for a PIN was refused.",
                "Ask the payment provider whether the payment continued; do not charge again before that.")
        case .pinEntryTimeout:
            return F(
                "pinEntryTimeout", .iOS16, .customer, .again, "No PIN was entered in time.", "Present the card again.")
        case .pinCancelled:
            return F(
                "pinCancelled", .iOS16, .customer, .again, "The customer did not enter the PIN.",
                "Present the card again, or take another.")
        case .pinNotAllowed:
            return F(
                "pinNotAllowed", .iOS16, .time, .again, "A PIN cannot be asked for any more, or not here.",
                "Present the card again.")
        default:
            return F(
                "pinEntryFailed", .iOS16, .customer, .again, "The PIN could not be taken.", "Present the card again.")
        }
    }

    private var deviceFacts: ReaderErrorFacts {
        typealias F = ReaderErrorFacts
        switch self {
        case .nfcDisabled:
            return F(
                "nfcDisabled", .iOS15_4, .merchant, .again, "The device's radio for cards is off.",
                "Turn it on, then start again.")
        case .readNotAllowedDuringCall:
            return F(
                "readNotAllowedDuringCall", .iOS15_4, .merchant, .again, "A phone call is in progress.",
                "End the call, then start again.")
        case .passcodeDisabled:
            return F(
                "passcodeDisabled", .iOS15_4, .merchant, .again, "This device has no passcode.",
                "Turn the passcode on, then start again.")
        case .storeAndForwardDeclineFailed:
            return F(
                "storeAndForwardDeclineFailed", .iOS18_4, .time, .none,
                "The stored payment cannot be declined any more.",
                "It will be sent; refund it when it is decided.")
        case .storeAndForwardResultNotFound:
            return F(
                "storeAndForwardResultNotFound", .iOS18_4, .merchant, .none, "There is no stored payment to decline.",
                "Check the list of stored payments.")
        case .readerInitializationFailed:
            return F(
                "readerInitializationFailed", .iOS26, .time, .prepare, "The reader could not be started.",
                "Prepare it again; if that does not help, restart the device.")
        case .unknown(let code):
            return F(
                "unknown", .iOS18_4, .provider, .none, "The reader reports \(code), which has no name.",
                "Start again; if that does not help, report this number to the payment provider.")
        case .unrecognized(let name):
            return F(
                name, nil, .provider, .none, "The reader reports \(name), which is not known here.",
                "Start again; if that does not help, report this word to the payment provider.")
        default:
            return F(
                "readerNotAvailable", .iOS26, .merchant, .prepare, "The reader is not there.",
                "Connect it or use another, then start again.")
        }
    }
}
