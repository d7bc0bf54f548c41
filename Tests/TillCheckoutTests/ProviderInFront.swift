import TillCore
import TillSandbox

/// A provider in front of the sandbox, which answers everything that the one in front does not answer itself.
protocol ProviderInFront: PaymentServiceProvider {
    /// The provider behind it.
    var base: SandboxProvider { get }
}

extension ProviderInFront {
    var name: ProviderName { base.name }
    var capabilities: ProviderCapabilities { base.capabilities }
    var amounts: AmountCodec { base.amounts }
    func identity() async -> ProviderIdentity { await base.identity() }
    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        await base.authorize(request, with: tender)
    }
    func capture(_ request: CaptureRequest) async -> ProviderAnswer<TillCore.Confirmation> {
        await base.capture(request)
    }
    func void(_ request: VoidRequest) async -> ProviderAnswer<TillCore.Confirmation> { await base.void(request) }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<TillCore.Confirmation> { await base.refund(request) }
    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> { await base.query(request) }
}
