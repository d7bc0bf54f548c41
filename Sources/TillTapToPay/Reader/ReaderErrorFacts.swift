/// What is known of one error of a reader.
public struct ReaderErrorFacts: Hashable, Sendable {
    /// Its name, as Apple spells it.
    public var name: String
    /// The release that brought it; nil for one that is not known here.
    public var release: SystemRelease?
    /// Who can do something about it.
    public var remedy: ReaderRemedy
    public var recovery: ReaderRecovery
    /// What happened, one sentence.
    public var what: String
    /// What to do next, one sentence.
    public var next: String

    init(
        _ name: String, _ release: SystemRelease?, _ remedy: ReaderRemedy, _ recovery: ReaderRecovery, _ what: String,
        _ next: String
    ) {
        (self.name, self.release, self.remedy, self.recovery) = (name, release, remedy, recovery)
        (self.what, self.next) = (what, next)
    }
}

/// Who can do something about an error.
public enum ReaderRemedy: String, Hashable, Sendable {
    /// The person who holds the card.
    case customer
    /// The shop, at its device or its account.
    case merchant
    /// Whoever made the app.
    case developer
    /// The provider, who issues tokens and knows merchants.
    case provider
    /// The network, by itself.
    case network
    case time
}

/// What helps against an error.
public enum ReaderRecovery: String, Hashable, Sendable {
    /// Nothing that a program can do.
    case none
    /// The same call once more.
    case again
    /// A new session, then the same call.
    case prepare
    /// A new token, a new session, then the same call.
    case renewToken = "renew_token"
    /// Link the account, then prepare.
    case link
}
