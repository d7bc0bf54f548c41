/// Who moves the money: a card provider, the sandbox, the cash drawer.
///
/// Rules for every implementation:
/// - It never throws and never retries on its own: every end of a call is one of the answers.
/// - `notSent` is said only when not one byte of the request left; a time-out, a reset, a 5xx and an answer that
///   can not be read are `unknown`.
/// - It sends the key that it is given, unchanged, and is safe to call again with the same request.
/// - Nothing that it logs, throws or returns holds a card number, a code or a key.
public protocol PaymentServiceProvider: Sendable {
    /// Its name, as in `--provider stripe`.
    var name: ProviderName { get }
    /// What it can do.
    var capabilities: ProviderCapabilities { get }
    /// Its table of wire amounts. The engine asks it before anything is written, so that an amount that the wire can
    /// not express is refused while nothing has happened.
    var amounts: AmountCodec { get }

    /// Makes the provider's object for an attempt. Moves no money. Called only if ``ProviderCapabilities/preparesFirst``.
    func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation>
    /// Asks for the money.
    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization>
    /// Takes held money.
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation>
    /// Lets held money go.
    func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation>
    /// Gives captured money back. A refund that the provider has taken but not settled is `unknown("pending")`.
    func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation>
    /// Asks what became of an attempt. Moves no money.
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot>
}

extension PaymentServiceProvider {
    /// Providers without a preparation have nothing to do here.
    public func prepare(_ request: AuthorizationRequest) async -> ProviderAnswer<Confirmation> {
        .approved(Confirmation())
    }
}
