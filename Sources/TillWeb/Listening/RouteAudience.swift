/// The audience of a route. The public listener serves only the audiences unknown to the shop: customers and providers.
package enum RouteAudience: String, CaseIterable, Sendable {
    /// The sales counter: its page and the shop's programs.
    case clerk
    /// Customers: receipts, the 3-D Secure return URL, the shop's own pages.
    case customer
    /// Payment providers, which send webhooks.
    case provider
    /// Operators: liveness and metrics.
    case `operator`

    /// The paths of probes, served even at the connection limit.
    static let probes: Set<String> = ["/healthz", "/readyz", "/metrics"]

    /// The audiences of the public listener.
    static let ofThePublic: Set<RouteAudience> = [.customer, .provider]
}
