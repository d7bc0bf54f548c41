public import TillCore

/// An error of the offline log.
public enum OfflineLogError: ExplainedError, Hashable {
    /// The log cannot be trusted.
    case damaged(LogDamage)
    /// A disk operation failed; reopening the log shows whether the entry was kept.
    case disk(DurableFileError)
    /// The policy does not accept this payment offline.
    case refused([RiskReason])
    /// The maximum number of entries is already waiting.
    case queueFull(limit: Int)
    /// The attempt was voided before its card was stored.
    case attemptVoided
    /// The attempt's card is stored already.
    case attemptStored(sequence: UInt64)
    /// There is no such stored payment.
    case notFound
    /// The step is not valid in the current state of the batch or the payment.
    case wrongState(String)
    /// The withdrawal window is over, or the payment is already being forwarded.
    case declineOver
    /// The provider's deletion token is not valid.
    case token(DeletionTokenError)
    /// An entry would be longer than ``OfflineFrame/mostPayload``.
    case tooLarge
    /// The card data could not be sealed.
    case notSealed
    /// There is no log here.
    case noLog

    /// A stable identifier for programs.
    public var code: String {
        switch self {
        case .damaged(let damage): "offline_log_\(damage.name)"
        case .disk: "offline_log_unavailable"
        case .refused: "offline_refused"
        case .queueFull: "queue_full"
        case .attemptVoided: "offline_attempt_voided"
        case .attemptStored: "offline_attempt_stored"
        case .notFound: "offline_not_found"
        case .wrongState: "offline_wrong_state"
        case .declineOver: "offline_decline_over"
        case .token(let error): "offline_token_\(error.name)"
        case .tooLarge: "offline_too_large"
        case .notSealed: "offline_not_sealed"
        case .noLog: "offline_no_log"
        }
    }

    public var what: String {
        switch self {
        case .damaged(let damage): "The offline log cannot be trusted. \(damage)"
        case .disk(let error): "The offline log's disk failed: \(error)"
        case .refused(let reasons):
            "This payment is not taken offline: \(reasons.map(\.sentence).joined(separator: " "))"
        case .queueFull(let limit): "\(limit) entries wait for the disk already."
        case .attemptVoided: "This attempt was given up; its card may not be stored any more."
        case .attemptStored(let sequence): "This attempt's card is stored already, as entry \(sequence)."
        case .notFound: "There is no such stored payment."
        case .wrongState(let why): why
        case .declineOver: "The stored payment can no longer be withdrawn."
        case .token(let error): "Nothing is deleted: \(error)"
        case .tooLarge: "The entry is too long for the log."
        case .notSealed: "The card's data could not be sealed for the provider."
        case .noLog: "There is no offline log here."
        }
    }

    /// The log itself moves no money; only a failed disk leaves open whether the card is kept.
    public var moneyMoved: MoneyMoved {
        if case .disk = self { .unknown } else { .no }
    }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .damaged: "Take no payment offline, keep the file, and run `till offline verify`."
        case .disk: "Check the disk; then check the payment before you take another."
        case .refused: "Take the payment online, in cash, or forward what is stored first."
        case .queueFull: "Try again in a moment."
        case .attemptVoided, .attemptStored: "Check the payment."
        case .notFound: "Check the number with `till offline status`."
        case .wrongState: "Run `till offline status`."
        case .declineOver: "Forward it, then refund it."
        case .token: "Forward the batch again to get a valid one; the payments stay stored."
        case .tooLarge: "Store less card data for the provider."
        case .notSealed: "Check the provider's key. An iPhone or iPad seals from iOS 17 on."
        case .noLog: "Nothing was taken offline yet."
        }
    }
}
