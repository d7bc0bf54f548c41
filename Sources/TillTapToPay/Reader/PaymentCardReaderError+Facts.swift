extension PaymentCardReaderError {
    /// The facts of the error: name, release, responsible party and recovery.
    public var facts: ReaderErrorFacts {
        switch self {
        case .accountNotLinked, .accountAlreadyLinked, .accountLinkingFailed, .accountLinkingRequiresiCloudSignIn,
            .accountLinkingCancelled, .accountLinkingCheckFailed, .merchantBlocked, .accountDeactivated,
            .invalidMerchant:
            accountFacts
        case .storeAndForwardNotAllowed, .storeAndForwardSessionExpired, .storeAndForwardSessionInvalidated,
            .storeAndForwardTokenIssuerChanged:
            storeFacts
        case .emptyReaderToken, .invalidReaderToken, .tokenExpired, .prepareFailed, .prepareExpired, .deviceBanned,
            .readerMemoryFull, .readerBusy, .requestInterrupted, .unknown, .unrecognized:
            preparationFacts
        default: deviceFacts
        }
    }

    private var deviceFacts: ReaderErrorFacts {
        typealias F = ReaderErrorFacts
        switch self {
        case .notAllowed:
            return F(
                "notAllowed", .iOS15_4, .developer, .none, "This app may not use the reader.",
                "Ask the app's developer to check its Tap to Pay entitlement.")
        case .backgroundRequestNotAllowed:
            return F(
                "backgroundRequestNotAllowed", .iOS15_4, .merchant, .prepare,
                "The app is in the background, where the reader cannot be used.",
                "Bring the app to the front; the reader is then prepared again.")
        case .unsupported:
            return F(
                "unsupported", .iOS15_4, .merchant, .none, "This device has no reader that can be used.",
                "Use another device or a card reader.")
        case .osVersionNotSupported:
            return F(
                "osVersionNotSupported", .iOS15_4, .merchant, .none, "This version of the system is too old.",
                "Update the system, then try again.")
        case .modelNotSupported:
            return F(
                "modelNotSupported", .iOS15_4, .merchant, .none, "This model has no reader.",
                "Use another device or a card reader.")
        case .passcodeDisabled:
            return F(
                "passcodeDisabled", .iOS15_4, .merchant, .again, "This device has no passcode.",
                "Turn the passcode on, then try again.")
        case .networkError:
            return F(
                "networkError", .iOS15_4, .network, .again, "The network did not answer.",
                "Check the connection, then try again.")
        case .networkAuthenticationError:
            return F(
                "networkAuthenticationError", .iOS15_4, .network, .again, "The network wants a sign-in.",
                "Sign in to the network or use another, then try again.")
        case .serviceConnectionError:
            return F(
                "serviceConnectionError", .iOS15_4, .time, .again, "The connection to the reader's service broke.",
                "Try again; if that does not help, restart the device.")
        default:
            return F(
                "notReady", .iOS15_4, .time, .prepare, "The reader is not prepared.",
                "Wait until it is ready, then try again.")
        }
    }

    private var preparationFacts: ReaderErrorFacts {
        typealias F = ReaderErrorFacts
        switch self {
        case .emptyReaderToken:
            return F(
                "emptyReaderToken", .iOS15_4, .developer, .renewToken, "The reader token is empty.",
                "Get a token from the payment provider, then try again.")
        case .invalidReaderToken(let reason):
            return F(
                "invalidReaderToken", .iOS15_4, .provider, .renewToken,
                "The reader token was refused\(PaymentCardReaderError.suffix(reason)).",
                "Get a new token from the payment provider; if that does not help, ask the provider.")
        case .tokenExpired:
            return F(
                "tokenExpired", .iOS15_4, .provider, .renewToken, "The reader token has expired.",
                "Get a new token from the payment provider, then try again.")
        case .prepareFailed(let reason):
            return F(
                "prepareFailed", .iOS15_4, .time, .again,
                "The reader could not be prepared\(PaymentCardReaderError.suffix(reason)).",
                "Try again; if that does not help, restart the device.")
        case .prepareExpired:
            return F(
                "prepareExpired", .iOS15_4, .time, .prepare, "The reader was prepared too long ago.",
                "Prepare it again, then try again.")
        case .deviceBanned(let until):
            return F(
                "deviceBanned", .iOS15_4, .time, .none,
                "This device may not read cards\(until.map { " until \($0)" } ?? " for now").",
                "Use another device until then, or ask the payment provider.")
        case .readerMemoryFull:
            return F(
                "readerMemoryFull", .iOS15_4, .merchant, .none, "The reader's memory is full.",
                "Send what is stored to the provider, then try again.")
        case .readerBusy:
            return F(
                "readerBusy", .iOS15_4, .time, .again, "The reader is busy.",
                "Wait until that is done, then try again.")
        case .requestInterrupted:
            return F(
                "requestInterrupted", .iOS26, .time, .again, "The request was interrupted.", "Try again.")
        case .unknown(let code):
            return F(
                "unknown", .iOS18, .provider, .none, "The reader reports \(code), which has no name.",
                "Try again; if that does not help, report this number to the payment provider.")
        case .unrecognized(let name):
            return F(
                name, nil, .provider, .none, "The reader reports \(name), which is not known here.",
                "Try again; if that does not help, report this word to the payment provider.")
        default: return deviceFacts
        }
    }

    private var accountFacts: ReaderErrorFacts {
        typealias F = ReaderErrorFacts
        switch self {
        case .accountAlreadyLinked:
            return F(
                "accountAlreadyLinked", .iOS15_4, .merchant, .prepare, "The terms are accepted already.",
                "Prepare the reader.")
        case .accountLinkingFailed:
            return F(
                "accountLinkingFailed", .iOS15_4, .merchant, .link, "The account could not be linked.",
                "Try again, or link with another account.")
        case .accountLinkingRequiresiCloudSignIn:
            return F(
                "accountLinkingRequiresiCloudSignIn", .iOS15_4, .merchant, .link,
                "Nobody is signed in on this device.", "Sign in on the device, then link the account.")
        case .accountLinkingCancelled:
            return F(
                "accountLinkingCancelled", .iOS15_4, .merchant, .link, "The terms were not accepted.",
                "Accept them to take cards on this device.")
        case .accountLinkingCheckFailed:
            return F(
                "accountLinkingCheckFailed", .iOS16_4, .network, .again,
                "Whether the account is linked could not be found out.", "Check the connection, then try again.")
        case .merchantBlocked:
            return F(
                "merchantBlocked", .iOS15_4, .provider, .none, "This merchant is blocked.",
                "Ask the payment provider.")
        case .accountDeactivated:
            return F(
                "accountDeactivated", .iOS17, .merchant, .link, "The linked account was deactivated.",
                "Link an account again.")
        case .invalidMerchant:
            return F(
                "invalidMerchant", .iOS15_4, .provider, .none, "The token names a merchant that is not known.",
                "Ask the payment provider.")
        default:
            return F(
                "accountNotLinked", .iOS15_4, .merchant, .link, "Nobody has accepted the terms for this merchant.",
                "Link the account once; other devices of the shop need not do it again.")
        }
    }

    private var storeFacts: ReaderErrorFacts {
        typealias F = ReaderErrorFacts
        switch self {
        case .storeAndForwardSessionExpired:
            return F(
                "storeAndForwardSessionExpired", .iOS18_4, .network, .prepare,
                "The reader was online too long ago to store payments.", "Go online and prepare the reader once.")
        case .storeAndForwardSessionInvalidated:
            return F(
                "storeAndForwardSessionInvalidated", .iOS18_4, .network, .prepare,
                "The session for stored payments was ended.", "Go online and prepare the reader once.")
        case .storeAndForwardTokenIssuerChanged:
            return F(
                "storeAndForwardTokenIssuerChanged", .iOS18_4, .merchant, .none,
                "Payments of another provider are still stored.", "Send them to that provider first.")
        default:
            return F(
                "storeAndForwardNotAllowed", .iOS18_4, .provider, .none, "Payments may not be stored here.",
                "Take the payment online, or ask the payment provider to allow it.")
        }
    }

    static func suffix(_ reason: String?) -> String { reason.map { " (\($0))" } ?? "" }
}
