/// The mode of a provider account: test or live.
public enum PaymentMode: String, Hashable, Sendable, CaseIterable {
    /// The provider's test system: no real charges.
    case test
    case live
}

/// The account at a provider that a configuration opens. Each attempt records its account, because only that account
/// knows its outcome: another one answers "not found" for money that was taken.
public struct ProviderIdentity: Hashable, Sendable {
    /// The provider's own identifier of the account: Stripe's `acct_…`, PayPal's client id, Braintree's merchant id,
    /// Adyen's merchant account. `nil` if it is not known, or not known yet.
    public var account: String?
    public var mode: PaymentMode
    /// A short one-way hash of the key that identifies it without revealing any part of it. `nil` if there is no key.
    public var keyFingerprint: String?
    /// `true` if attempts recorded under a device's name, without a key, belong to this account as well: devices were
    /// once recorded as accounts, without the account that they belonged to. The provider refuses operations on another
    /// account's attempts. Set only by a configured account; never recorded.
    public var succeedsDevices = false

    public init(account: String?, mode: PaymentMode, keyFingerprint: String? = nil) {
        self.account = account
        self.mode = mode
        self.keyFingerprint = keyFingerprint
    }

    /// The result of comparing two identities.
    public enum Match: Hashable, Sendable {
        /// The same account in the same mode; its key may have been replaced.
        case same
        /// Another account, or the same one in the other mode.
        case other
        /// The keys differ, and the account of one of them is not known.
        case unproved
    }

    /// Compares the modes, then the provider's identifiers of the account; the key decides only if one of these is
    /// missing.
    public func match(_ other: ProviderIdentity) -> Match {
        guard mode == other.mode else { return .other }
        if other.succeedsDevices, account != nil, keyFingerprint == nil { return .same }
        if let account, let theirs = other.account { return account == theirs ? .same : .other }
        return keyFingerprint == other.keyFingerprint ? .same : .unproved
    }
}

extension ProviderIdentity: CustomStringConvertible {
    /// `acct_1 (live)`, or the key's fingerprint if the account is not known.
    public var description: String {
        let name = account ?? keyFingerprint.map { "the account of the key \($0)" } ?? "an account without a name"
        return "\(name) (\(mode.rawValue))"
    }
}
