/// The owner of a route's resources.
package enum RouteOwner: Sendable {
    /// The caller's account: each account sees its own resources.
    case caller
    /// The counter's account: its readers, printers and metrics. Other accounts see nothing.
    case counter
}
