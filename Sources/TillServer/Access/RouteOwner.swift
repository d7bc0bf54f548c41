/// Whose things a route is about.
enum RouteOwner: Sendable {
    /// The asker's: each account finds its own there.
    case asker
    /// The counter's: its readers, printers and metrics. Any other account finds nothing there.
    case counter
}
