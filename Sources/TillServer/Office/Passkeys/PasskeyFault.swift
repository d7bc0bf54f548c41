/// Why a passkey was not taken. Whoever sends one learns only that it was not; a test and the log know which it was.
enum PasskeyFault: Error, Hashable, Sendable {
    /// What cannot be read, or has another form than the standard gives it.
    case malformed(String)
    /// It was made for the other purpose: to sign in, or to be added.
    case purpose
    /// Not one of this counter's, too old, of another session, or used before.
    case challenge
    /// Another page had it made.
    case origin
    /// It belongs to another name.
    case relyingParty
    /// Nobody has touched the authenticator.
    case presence
    /// The authenticator has not checked who touched it.
    case verification
    /// A kind of key that is not taken.
    case key
    case signature
    /// Its counter is not higher than before: there may be two of it.
    case counter
    /// Nobody's, or somebody else's.
    case unknown
}
