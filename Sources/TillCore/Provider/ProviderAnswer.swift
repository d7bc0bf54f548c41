/// The outcome of one call to a provider. There is no "failed": a failure either moved no money for certain
/// (`declined`, `notSent`) or may have moved it (`unknown`), and the two must never be mixed up.
public enum ProviderAnswer<Success: Hashable & Sendable>: Hashable, Sendable {
    case approved(Success)
    /// It certainly did not happen: the provider refused it.
    case declined(Decline)
    /// It has not happened yet: the customer must do something first.
    case requiresAction(CustomerAction)
    /// It has not happened yet: the card's sealed data are durable on this device, to be forwarded later. Said only of
    /// an authorization, and only where the shop asked for it.
    case stored(StoredTap)
    /// It certainly did not happen: not one byte of the request left.
    case notSent(reason: String)
    /// It certainly did not happen: the provider rejects our own credentials (HTTP 401, 403), for this and for every
    /// other call, until a person has put that right. No word about the customer or the money.
    case keyRejected(reason: String)
    /// It may have happened.
    case unknown(UnknownReason)

    /// It may have happened: a time-out, a broken connection, a 5xx, an answer that cannot be read. What the provider
    /// has accepted and not settled is ``UnknownReason/pending`` instead.
    public static func unknown(reason: String) -> ProviderAnswer { .unknown(.unclear(reason)) }
}

/// What the customer must do, such as a bank's challenge.
public struct CustomerAction: Hashable, Sendable {
    /// The provider's word for it, such as `redirect_to_url` or `use_stripe_sdk`.
    public var kind: String
    /// Where to send the customer, if the provider gave an address.
    public var url: String?

    public init(kind: String, url: String? = nil) {
        self.kind = kind
        self.url = url
    }
}
