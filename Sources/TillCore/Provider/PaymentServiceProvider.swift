/// A service that moves money: a card provider, the sandbox, the cash drawer.
///
/// Rules for every implementation:
/// - It never throws and never retries on its own: every call ends in one of the answers.
/// - It answers `notSent` only if not one byte of the request was sent; a time-out, a reset, a 5xx and an unreadable
///   response are `unknown`.
/// - It answers `keyRejected`, never `declined`, to a 401 or 403 for our own credentials: no decision was made.
/// - It sends the given idempotency key unchanged, and is safe to call again with the same request.
/// - Its logs, errors and results never contain a card number, a security code or a key.
public protocol PaymentServiceProvider: Sendable {
    /// The provider's name, as in `--provider stripe`.
    var name: ProviderName { get }
    /// The provider's capabilities.
    var capabilities: ProviderCapabilities { get }
    /// The provider's table of wire amounts. The engine consults it before anything is written, so that an amount that
    /// the wire format cannot express is refused while nothing has happened.
    var amounts: AmountCodec { get }

    /// Returns the account in which the provider moves money. Moves nothing. Calls the provider once at most, for ten
    /// seconds at most, and caches the result; anything that cannot be determined is `nil`, never a guess. The engine
    /// records it with each attempt and never queries an attempt of another account.
    func identity() async -> ProviderIdentity
    /// Creates the provider's object for an attempt. Moves no money. Called only if
    /// ``ProviderCapabilities/preparesFirst``.
    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation>
    /// Authorizes a payment.
    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization>
    /// Authorizes a payment after the customer's action. Called only after a query has returned
    /// ``ProviderSnapshot/Standing/continuable``, and only once that is in the journal.
    func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization>
    /// Renews a hold. Called only if ``ProviderCapabilities/honorPeriod`` is set. The answer names the new hold, its
    /// end and its honor period.
    func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization>
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation>
    /// Voids an authorization. If a part of it was captured, only the rest is released and the captured part stays; a
    /// provider that does not support this answers `declined`, because `approved` is taken at face value.
    func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation>
    /// Refunds captured money. A refund that the provider has accepted but not settled is `unknown(.pending)`.
    func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation>
    /// Queries the outcome of an attempt. Read-only: no money moves, nothing changes.
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot>
}

/// A provider that may answer an authorization without sending anything: an attempt and its outcome are then one
/// commit. Each type declares it for itself, apart from its capabilities: a decorator that forwards those may send
/// something, so its calls are written first.
package protocol SendlessProvider: PaymentServiceProvider {
    /// `true` if an authorization sends nothing and changes nothing outside the journal.
    var sendsNothing: Bool { get }
}

extension PaymentServiceProvider {
    /// Approves; the default for providers without a preparation.
    public func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        .approved(Confirmation())
    }

    /// Returns `unknown`; never called for providers that continue by themselves after the customer's action.
    public func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization> {
        .unknown(reason: "the provider continues by itself")
    }

    /// Declines; never called for providers that cannot renew holds.
    public func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization> {
        .declined(Decline(reason: .invalidRequest, message: "the provider cannot renew holds"))
    }
}
