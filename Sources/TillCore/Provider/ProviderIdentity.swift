/// Whether real money moves.
public enum PaymentMode: String, Hashable, Sendable, CaseIterable {
    /// The provider's test system: nobody is charged.
    case test
    case live
}

/// Whose account at a provider a configuration opens. Each attempt keeps the one that it was started in, because only
/// that account knows what became of it: another one says "not found" of money that was taken.
public struct ProviderIdentity: Hashable, Sendable {
    /// The provider's own name for the account: Stripe's `acct_…`, PayPal's client id, Braintree's merchant id, Adyen's
    /// merchant account. `nil`: not known, or not known yet.
    public var account: String?
    public var mode: PaymentMode
    /// A short one-way hash of the key, by which the same key is known again; never a part of it. `nil`: there is no
    /// key.
    public var keyFingerprint: String?
    /// What was recorded by the name of a device, without a key, is of this account as well: such devices were taken
    /// for accounts once, and which account a device belonged to was not recorded. The provider refuses what is
    /// another account's. Only a configured account says so; it is never recorded.
    public var succeedsDevices = false

    public init(account: String?, mode: PaymentMode, keyFingerprint: String? = nil) {
        self.account = account
        self.mode = mode
        self.keyFingerprint = keyFingerprint
    }

    /// Whether two identities are of one account.
    public enum Match: Hashable, Sendable {
        /// The same account in the same mode; its key may have been replaced.
        case same
        /// Another account, or the same one in the other mode.
        case other
        /// The keys differ, and of one of them it is not known which account it opens.
        case unproved
    }

    /// Compares by mode, then by the provider's own name for the account; the key decides only where that is missing.
    public func match(_ other: ProviderIdentity) -> Match {
        guard mode == other.mode else { return .other }
        if other.succeedsDevices, account != nil, keyFingerprint == nil { return .same }
        if let account, let theirs = other.account { return account == theirs ? .same : .other }
        return keyFingerprint == other.keyFingerprint ? .same : .unproved
    }
}

extension ProviderIdentity: CustomStringConvertible {
    /// `acct_1 (live)`, or the key's fingerprint where the account is not known.
    public var description: String {
        let name = account ?? keyFingerprint.map { "the account of the key \($0)" } ?? "an account without a name"
        return "\(name) (\(mode.rawValue))"
    }
}
