import Synchronization

/// Where Apple Pay hangs in a counter. The sandbox's shop makes an authority of its own, which takes longer than all
/// else of a cold start; so it is made when somebody first asks for one of its addresses. A shop of settings is there
/// from the start, so that what is wrong with it is said then.
public final class ApplePayMount: Sendable {
    private let made_: Mutex<ApplePayWeb?>
    private let make: @Sendable () throws -> ApplePayWeb
    /// There is the demo shop, made or not.
    public let hasShop: Bool

    /// One that is there.
    public init(_ web: ApplePayWeb) {
        made_ = Mutex(web)
        make = { web }
        hasShop = web.hasShop
    }

    /// The sandbox's shop, to be made when it is first asked for.
    public init(shop make: @escaping @Sendable () throws -> ApplePayWeb) {
        made_ = Mutex(nil)
        self.make = make
        hasShop = true
    }

    /// Apple Pay, made now if it was not before. Callers that come while it is made wait for it.
    public func web() throws -> ApplePayWeb {
        try made_.withLock { web in
            if let web { return web }
            let new = try make()
            web = new
            return new
        }
    }

    /// Apple Pay if somebody has asked for it.
    public var opened: ApplePayWeb? { made_.withLock { $0 } }
}
