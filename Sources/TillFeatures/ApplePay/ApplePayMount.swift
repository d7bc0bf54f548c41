import Synchronization

/// The mount point of Apple Pay in a counter. The sandbox's shop creates its own certificate authority, the slowest
/// part of a cold start, so it is set up on the first request for one of its addresses. A configured shop is set up
/// immediately, so that its faults are reported at startup.
public final class ApplePayMount: Sendable {
    private let setup: Mutex<ApplePayWeb?>
    private let make: @Sendable () throws -> ApplePayWeb
    /// `true` if the demo shop is available, set up or not.
    public let hasShop: Bool

    /// Mounts an existing setup.
    public init(_ web: ApplePayWeb) {
        setup = Mutex(web)
        make = { web }
        hasShop = web.hasShop
    }

    /// Mounts the sandbox's shop, to be set up on first use.
    public init(shop make: @escaping @Sendable () throws -> ApplePayWeb) {
        setup = Mutex(nil)
        self.make = make
        hasShop = true
    }

    /// Returns Apple Pay, setting it up if necessary. Concurrent callers wait for it.
    public func web() throws -> ApplePayWeb {
        try setup.withLock { web in
            if let web { return web }
            let new = try make()
            web = new
            return new
        }
    }

    /// The Apple Pay setup, if it was requested before.
    public var opened: ApplePayWeb? { setup.withLock { $0 } }
}
