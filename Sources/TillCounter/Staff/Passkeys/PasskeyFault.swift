/// The reason that a passkey was rejected. The client learns only of the rejection; the reason is for the log and
/// tests.
package enum PasskeyFault: Error, Hashable, Sendable {
    /// The data cannot be parsed, or violates the standard.
    case malformed(String)
    /// The passkey response was made for another purpose: sign-in or registration.
    case purpose
    /// The challenge is of another counter or session, expired or already used.
    case challenge
    /// The response was made for another page.
    case origin
    /// The credential belongs to another relying party.
    case relyingParty
    /// User presence is missing.
    case presence
    /// User verification is missing.
    case verification
    /// An unsupported key type.
    case key
    case signature
    /// The signature counter did not increase: the authenticator may have been cloned.
    case counter
    /// The passkey is unknown, or belongs to another person.
    case unknown
}
