/// The outcome of one call to a provider. There is no "failed": a failure either certainly moved no money (`declined`,
/// `notSent`) or may have moved it (`unknown`), and the two must never be confused.
public enum ProviderAnswer<Success: Hashable & Sendable>: Hashable, Sendable {
    case approved(Success)
    /// Certainly not done: the provider refused it.
    case declined(Decline)
    /// Not done yet: the customer must take action first.
    case requiresAction(CustomerAction)
    /// Not done yet: the card's sealed data are durable on this device, to be forwarded later. Only for an
    /// authorization, and only if the shop requested it.
    case stored(StoredTap)
    /// Certainly not done: not one byte of the request was sent.
    case notSent(reason: String)
    /// Certainly not done: the provider rejects our own credentials (HTTP 401, 403), for this and every other call,
    /// until they are corrected. No statement about the customer or the money.
    case keyRejected(reason: String)
    /// May have been done.
    case unknown(UnknownReason)

    /// Creates an unknown outcome: a time-out, a broken connection, a 5xx, an unreadable response. An operation that
    /// the provider has accepted but not settled is ``UnknownReason/pending`` instead.
    public static func unknown(reason: String) -> ProviderAnswer { .unknown(.unclear(reason)) }
}

/// An action required from the customer, such as an issuer's challenge.
public struct CustomerAction: Hashable, Sendable {
    /// The provider's name of the action, such as `redirect_to_url` or `use_stripe_sdk`.
    public var kind: String
    /// The URL to which the customer is sent, if the provider gave one.
    public var url: String?
    /// The provider's prepared order, to which its own fields attach the customer's card; `nil` if there is nothing to
    /// attach.
    public var order: String?
    /// The provider's session with which its components or SDK take the card from this customer; `nil` if there is
    /// none. It is not handed out once the action ``isFinished``.
    public var session: CustomerSession?

    public init(kind: String, url: String? = nil, order: String? = nil, session: CustomerSession? = nil) {
        self.kind = kind
        self.url = url
        self.order = order
        self.session = session
    }

    /// The kind of an action that the customer has finished, while the provider has not said whether money moved.
    public static let finishedSession = "session_finished"

    /// `true` if nothing is left for the customer to do.
    public var isFinished: Bool { kind == CustomerAction.finishedSession }

    /// Returns the action as it is written after an earlier one: a session that is the same goes without its data.
    func repeating(_ last: CustomerAction?) -> CustomerAction {
        guard let session, session == last?.session else { return self }
        var action = self
        action.session = session.withoutData
        return action
    }

    /// Returns the action with its session's data, which an earlier one has.
    func completed(by last: CustomerAction?) -> CustomerAction {
        guard let session, session.data.isEmpty, let known = last?.session, known.withoutData == session else {
            return self
        }
        var action = self
        action.session = known
        return action
    }
}
