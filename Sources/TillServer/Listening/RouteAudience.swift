/// Whom a route is there for. The listener for the public has the routes of those whom the shop does not know:
/// customers and providers.
enum RouteAudience: String, CaseIterable, Sendable {
    /// Whoever sells at this counter: its page and the programs of the shop.
    case clerk
    /// Whoever buys: receipts, the return URL of a bank's page, the shop's own pages.
    case customer
    /// Who moves the money and sends webhooks.
    case provider
    /// Who keeps the counter running: whether it lives, and its metrics.
    case `operator`

    /// Those that the listener for the public serves.
    static let ofThePublic: Set<RouteAudience> = [.customer, .provider]
}
