public import TillCore

/// Why a reader could not be linked, prepared or asked. No card was read and no money moved.
///
/// The cases and their releases are those of Apple's interface; a case of a later release keeps its name in
/// ``unrecognized(name:)``, a code without a name stays in ``unknown(code:)``.
public enum PaymentCardReaderError: Error, Hashable, Sendable {
    case notAllowed
    case backgroundRequestNotAllowed
    case unsupported
    case osVersionNotSupported
    case modelNotSupported
    case passcodeDisabled
    case networkError
    case networkAuthenticationError
    case serviceConnectionError
    case notReady
    case emptyReaderToken
    case invalidReaderToken(String?)
    case prepareFailed(String?)
    case prepareExpired
    case tokenExpired
    case deviceBanned(until: Timestamp?)
    case readerMemoryFull
    case readerBusy
    case accountNotLinked
    case accountAlreadyLinked
    case accountLinkingFailed
    case accountLinkingRequiresiCloudSignIn
    case accountLinkingCancelled
    case accountLinkingCheckFailed
    case merchantBlocked
    case accountDeactivated
    case invalidMerchant
    case storeAndForwardNotAllowed
    case storeAndForwardSessionExpired
    case storeAndForwardSessionInvalidated
    case storeAndForwardTokenIssuerChanged
    case requestInterrupted
    case unknown(code: Int)
    /// A case that is not known here, by its name.
    case unrecognized(name: String)

    /// Every named case, payloads empty.
    public static let named: [PaymentCardReaderError] = [
        .notAllowed, .backgroundRequestNotAllowed, .unsupported, .osVersionNotSupported, .modelNotSupported,
        .passcodeDisabled, .networkError, .networkAuthenticationError, .serviceConnectionError, .notReady,
        .emptyReaderToken, .invalidReaderToken(nil), .prepareFailed(nil), .prepareExpired, .tokenExpired,
        .deviceBanned(until: nil), .readerMemoryFull, .readerBusy, .accountNotLinked, .accountAlreadyLinked,
        .accountLinkingFailed, .accountLinkingRequiresiCloudSignIn, .accountLinkingCancelled,
        .accountLinkingCheckFailed, .merchantBlocked, .accountDeactivated, .invalidMerchant,
        .storeAndForwardNotAllowed, .storeAndForwardSessionExpired, .storeAndForwardSessionInvalidated,
        .storeAndForwardTokenIssuerChanged, .requestInterrupted,
    ]

    /// The case of a name, payloads empty; ``unrecognized(name:)`` for one that is not known.
    public init(errorName: String) {
        self = PaymentCardReaderError.named.first { $0.errorName == errorName } ?? .unrecognized(name: errorName)
    }

    /// Its name, as Apple spells it.
    public var errorName: String { facts.name }
    /// What happened, one sentence.
    public var errorDescription: String { facts.what }
}

extension PaymentCardReaderError: ExplainedError {
    /// A stable word for programs.
    public var code: String { errorName }
    /// What happened, one sentence.
    public var what: String { facts.what }
    /// Never: no card was read.
    public var moneyMoved: MoneyMoved { .no }
    /// What to do next, one sentence.
    public var next: String { facts.next }
}
