public import TillCore
public import TillJournal

/// An error that prevents an API key from being created, revoked or rotated.
public enum APIKeyError: ExplainedError, Hashable {
    case unknown(APIKeyID)
    case revokedBefore(APIKeyID, Timestamp)
    /// An expired key cannot be replaced.
    case expired(APIKeyID, Timestamp)
    /// The request made its key before; the key's text was in that answer alone.
    case madeBefore(APIKeyID)
    case tooMany
    case invalidWord(APIKeys.Word)
    case invalidSpan(most: Span)
    /// The lifetime, the renewals or the scopes are not those of a device's session.
    case invalidSession
    /// The key is not a device's session.
    case notRenewable
    case journal(JournalError)

    public var code: String {
        switch self {
        case .unknown: "key_not_found"
        case .revokedBefore: "key_revoked_before"
        case .expired: "key_expired"
        case .madeBefore: "key_made_before"
        case .tooMany: "too_many_keys"
        case .invalidWord(let word): "invalid_\(word.rawValue)"
        case .invalidSpan: "invalid_time"
        case .invalidSession: "invalid_device_session"
        case .notRenewable: "key_not_renewable"
        case .journal: "journal_unavailable"
        }
    }

    public var what: String {
        switch self {
        case .unknown(let id): "There is no key \(id.rawValue.prefix(40))."
        case .revokedBefore(let id, let then): "The key \(id) was revoked at \(then); nothing was changed."
        case .expired(let id, let then): "The key \(id) has expired at \(then); nothing was changed."
        case .madeBefore(let id): "This request made the key \(id) before, and showed it then. Nothing was changed."
        case .tooMany: "The journal has \(APIKeys.maximumKeys) keys, and none of them ended long ago. No key was made."
        case .invalidWord(let word):
            "The \(word.rawValue) must be one line of 1 to \(APIKeys.maximumLabelBytes) bytes. Nothing was changed."
        case .invalidSpan(let most):
            "The time must be from a second to \(most.milliseconds / 86_400_000) days. Nothing was changed."
        case .invalidSession:
            "The session of a device needs the scope read, a lifetime from "
                + "\(APIKeys.minimumSessionLife.milliseconds / 60_000) minutes to "
                + "\(APIKeys.maximumSessionLife.milliseconds / 86_400_000) days, and renewals for at least that long "
                + "and at most \(APIKeys.maximumRenewal.milliseconds / 86_400_000) days. No key was made."
        case .notRenewable: "The request has no key that is the session of a device. Nothing was changed."
        case .journal(let error): "\(error)"
        }
    }

    /// Keys move no money.
    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .unknown: "till keys list has all."
        case .revokedBefore: "Nothing is left to do: it lets nobody in."
        case .expired: "Make a new one with till keys create."
        case .madeBefore: "If that answer was lost, revoke the key and make another."
        case .tooMany: "Revoke keys that nobody uses, with till keys revoke."
        case .invalidWord(let word): "Give another --\(word.rawValue)."
        case .invalidSpan: "Write it as 90d, 12h, 30min or 45s."
        case .invalidSession: "Give it other times, and the scope read, with which the device renews it."
        case .notRenewable: "Use the key as long as it is valid, or have a session made for the device."
        case .journal: "Check the disk and the rights on the file."
        }
    }
}
