/// Who moves the money: a card provider, the sandbox, the cash drawer.
///
/// Rules for every implementation:
/// - It never throws and never retries on its own: every end of a call is one of the answers.
/// - `notSent` is said only when not one byte of the request left; a time-out, a reset, a 5xx and an answer that
///   cannot be read are `unknown`.
/// - `keyRejected` is said of a 401 or 403 for our own credentials, never `declined`: nobody has decided anything.
/// - It sends the key that it is given, unchanged, and is safe to call again with the same request.
/// - Nothing that it logs, throws or returns holds a card number, a code or a key.
public protocol PaymentServiceProvider: Sendable {
    /// Its name, as in `--provider stripe`.
    var name: ProviderName { get }
    /// What it can do.
    var capabilities: ProviderCapabilities { get }
    /// Its table of wire amounts. The engine asks it before anything is written, so that an amount that the wire
    /// cannot express is refused while nothing has happened.
    var amounts: AmountCodec { get }

    /// Whose account it moves money in. Moves nothing. Asks the provider once at most, for ten seconds at most, and
    /// keeps what it heard; what it cannot find out is `nil`, never a guess. The engine writes it with each attempt and
    /// asks nothing about an attempt of another account.
    func identity() async -> ProviderIdentity
    /// Makes the provider's object for an attempt. Moves no money. Called only if
    /// ``ProviderCapabilities/preparesFirst``.
    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation>
    /// Asks for the money.
    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization>
    /// Asks for the money after the customer has done what was asked. Called only after a query has said
    /// ``ProviderSnapshot/Standing/continuable``, and only once that is in the journal.
    func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization>
    /// Renews a hold. Called only if ``ProviderCapabilities/honorPeriod`` is there. The answer names the new hold, its
    /// end and its honor period.
    func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization>
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation>
    /// Voids an authorization. Where a part of it was captured only the rest is released and that part stays; a
    /// provider that cannot do so answers `declined`, since what is `approved` is believed.
    func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation>
    /// Refunds captured money. A refund that the provider has accepted but not settled is `unknown(.pending)`.
    func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation>
    /// Asks what became of an attempt. It reads and does nothing else: no money moves, nothing changes.
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot>
}

extension PaymentServiceProvider {
    /// Providers without a preparation have nothing to do here.
    public func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        .approved(Confirmation())
    }

    /// Providers that continue by themselves after the customer's action are never asked to.
    public func continueAuthorization(_ request: ContinuationRequest) async -> ProviderAnswer<Authorization> {
        .unknown(reason: "the provider continues by itself")
    }

    /// Providers that cannot renew holds are never asked to.
    public func renew(_ request: RenewalRequest) async -> ProviderAnswer<Authorization> {
        .declined(Decline(reason: .invalidRequest, message: "the provider cannot renew holds"))
    }
}
