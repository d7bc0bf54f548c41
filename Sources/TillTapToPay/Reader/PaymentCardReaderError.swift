public import TillCore

/// An error of linking, preparing or querying a reader. No card was read and no money moved.
///
/// The cases and their releases are those of Apple's API; a case of a later release keeps its name in
/// ``unrecognized(name:)``, a code without a name is kept in ``unknown(code:)``.
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
    /// An unknown case, by its name.
    case unrecognized(name: String)

    /// Every named case, with empty payloads.
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

    /// Returns the case of a name, with an empty payload; ``unrecognized(name:)`` for an unknown one.
    public init(errorName: String) {
        self = PaymentCardReaderError.named.first { $0.errorName == errorName } ?? .unrecognized(name: errorName)
    }

    /// The name, as spelled by Apple.
    public var errorName: String { facts.name }
    /// A one-sentence description.
    public var errorDescription: String { facts.what }
}

extension PaymentCardReaderError: ExplainedError {
    /// A machine-readable code, stable across releases.
    public var code: String { errorName }
    /// A one-sentence description.
    public var what: String { facts.what }
    /// Never: no card was read.
    public var moneyMoved: MoneyMoved { .no }
    /// The next step, in one sentence.
    public var next: String { facts.next }
}
