/// The facts of one reader error.
public struct ReaderErrorFacts: Hashable, Sendable {
    /// The name, as spelled by Apple.
    public var name: String
    /// The release that introduced it; nil for an unknown one.
    public var release: SystemRelease?
    /// The party that can resolve it.
    public var remedy: ReaderRemedy
    public var recovery: ReaderRecovery
    /// A one-sentence description.
    public var what: String
    /// The next step, in one sentence.
    public var next: String

    init(
        _ name: String, _ release: SystemRelease?, _ remedy: ReaderRemedy, _ recovery: ReaderRecovery, _ what: String,
        _ next: String
    ) {
        (self.name, self.release, self.remedy, self.recovery) = (name, release, remedy, recovery)
        (self.what, self.next) = (what, next)
    }
}

/// The party that can resolve an error.
public enum ReaderRemedy: String, Hashable, Sendable {
    /// The cardholder.
    case customer
    /// The shop: its device or its account.
    case merchant
    /// The app's developer.
    case developer
    /// The provider: issues tokens and manages merchants.
    case provider
    /// The network, by itself.
    case network
    case time
}

/// The recovery from an error.
public enum ReaderRecovery: String, Hashable, Sendable {
    /// No recovery by a program.
    case none
    /// Repeat the call.
    case again
    /// A new session, then the same call.
    case prepare
    /// A new token, a new session, then the same call.
    case renewToken = "renew_token"
    /// Link the account, then prepare.
    case link
}
